//! What a kernel is told, resolved: every default is decided here and nowhere else.

use super::check_config::{CheckMode, RuleLevels, check_rules};
use super::network::NetworkConfig;
use crate::error::{Error, ErrorCode};
use crate::git::Secret;
use crate::sandbox::{Isolation, RunLimits, TreeLimits};
use serde::{Deserialize, Serialize};
use std::num::NonZeroUsize;
use std::time::Duration;

/// The whole configuration. A key that is not here is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Config {
    /// The agent's root, relative to the folder of the configuration.
    pub root_dir: String,
    pub git: GitConfig,
    pub sandbox: SandboxConfig,
    /// What a tool that fails its check may still do.
    pub check: CheckMode,
    pub rules: RuleLevels,
    pub fs: FsConfig,
    /// Packages of the application that tools may import, with all their subpaths.
    pub allowed_imports: Vec<String>,
    /// What tools may fetch: each entry is a URL that a request's own must begin with, part by part.
    pub allowed_fetch_urls: Vec<String>,
    pub network: NetworkConfig,
}

/// Which folders of the host tools may use beside the root.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct FsConfig {
    /// Relative to the folder of the configuration, or absolute.
    pub allowed_dirs: Vec<String>,
    /// Whether `..` is refused even where it does not lead out.
    pub block_upward_traversal: bool,
    /// Largest file of the root and of the allowed folders.
    pub file_bytes: u32,
    /// What the root may hold in all.
    pub root_bytes: u32,
    pub root_files: u32,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GitConfig {
    pub provider: GitProvider,
    /// Where the remote is; nowhere for a repository that stays here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    pub branch: String,
    /// Where the provider's API is, if not at its own place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_base_url: Option<String>,
    pub auth: GitIdentity,
    pub write_strategy: GitWriteStrategy,
    /// Most that one fetch may bring, as sent.
    pub fetch_bytes: u32,
    /// Time for one exchange with the remote.
    pub timeout_ms: u32,
}

/// Where tools are persisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GitProvider {
    #[default]
    Local,
    Github,
    Gitlab,
    Bitbucket,
}

/// How writes get to the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GitWriteStrategy {
    #[default]
    Direct,
    Pr,
}

/// Who commits, and with what right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GitIdentity {
    /// Shown masked wherever it is shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    pub user: String,
    pub email: String,
}

/// The limits of every run, and where runs happen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SandboxConfig {
    pub memory_mb: u32,
    pub timeout_ms: u32,
    pub wall_ms: u32,
    pub isolation: IsolationMode,
    pub workers: u32,
    pub warm: u32,
    pub result_bytes: u32,
    pub args_bytes: u32,
    pub log_bytes: u32,
    pub host_calls: u32,
    pub queue: u32,
    /// What one run may keep under `/tmp`.
    pub scratch_bytes: u32,
    pub scratch_files: u32,
    /// What one run, with all that it starts, may write into allowed folders.
    pub write_bytes: u32,
    pub write_files: u32,
    /// How deep tools may run tools.
    pub call_depth: u32,
    /// What the runs that one run starts, directly or not, may be and use together.
    pub nested_runs: u32,
    pub nested_timeout_ms: u32,
    /// Arguments of host calls that one run, with all that it starts, may have under way.
    pub pending_bytes: u32,
    /// Largest body of a response, unpacked.
    pub fetch_bytes: u32,
    /// Time for one request with all its redirects.
    pub fetch_timeout_ms: u32,
    /// Makes chance repeatable in every run.
    pub seed: Option<u64>,
    /// The moment at which every run's clock starts, in milliseconds since 1970.
    pub now: Option<i64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum IsolationMode {
    #[default]
    Process,
    Thread,
}

impl From<IsolationMode> for Isolation {
    fn from(mode: IsolationMode) -> Self {
        match mode {
            IsolationMode::Process => Self::Process,
            IsolationMode::Thread => Self::Thread,
        }
    }
}

/// Smallest and largest value of a limit, with its name.
pub(super) struct Range(pub(super) &'static str, u32, u32);

pub(super) const MEMORY_MB: Range = Range("memoryMb", 8, 4096);
pub(super) const TIMEOUT_MS: Range = Range("timeoutMs", 1, 3_600_000);
pub(super) const WALL_MS: Range = Range("wallMs", 1, 3_600_000);
const WORKERS: Range = Range("workers", 1, 64);
const RESULT_BYTES: Range = Range("resultBytes", 64, 64 << 20);
const ARGS_BYTES: Range = Range("argsBytes", 64, 64 << 20);
const LOG_BYTES: Range = Range("logBytes", 0, 64 << 20);
const HOST_CALLS: Range = Range("hostCalls", 1, 10_000);
const QUEUE: Range = Range("queue", 1, 100_000);

/// How many tools a search answers with.
pub(super) const FIND_LIMIT: Range = Range("limit", 1, 100);
pub(super) const DEFAULT_FIND_LIMIT: u32 = 5;
/// How many lines a search in files answers with.
pub(super) const SEARCH_LIMIT: Range = Range("limit", 1, 1000);
pub(super) const DEFAULT_SEARCH_LIMIT: u32 = 100;
const SCRATCH_BYTES: Range = Range("scratchBytes", 0, 256 << 20);
const SCRATCH_FILES: Range = Range("scratchFiles", 0, 65_536);
const WRITE_BYTES: Range = Range("writeBytes", 0, 2 << 30);
const WRITE_FILES: Range = Range("writeFiles", 0, 1_000_000);
const FILE_BYTES: Range = Range("fileBytes", 64, 64 << 20);
const ROOT_BYTES: Range = Range("rootBytes", 1024, 2 << 30);
const ROOT_FILES: Range = Range("rootFiles", 1, 1_000_000);
const CALL_DEPTH: Range = Range("callDepth", 0, 32);
const NESTED_RUNS: Range = Range("nestedRuns", 1, 100_000);
const NESTED_TIMEOUT_MS: Range = Range("nestedTimeoutMs", 1, 3_600_000);
const PENDING_BYTES: Range = Range("pendingBytes", 64, 2 << 30);
const FETCH_BYTES: Range = Range("fetchBytes", 64, 64 << 20);
const GIT_FETCH_BYTES: Range = Range("fetchBytes", 64 << 10, 2 << 30);
const GIT_TIMEOUT_MS: Range = Range("timeoutMs", 100, 3_600_000);
const FETCH_TIMEOUT_MS: Range = Range("fetchTimeoutMs", 1, 3_600_000);

/// More workers than this help only machines that nothing else runs on.
const MAX_DEFAULT_WORKERS: u32 = 4;

impl Default for Config {
    fn default() -> Self {
        Self {
            root_dir: "./.tgp".to_owned(),
            git: GitConfig::default(),
            sandbox: SandboxConfig::default(),
            check: CheckMode::default(),
            rules: RuleLevels::new(),
            fs: FsConfig::default(),
            allowed_imports: Vec::new(),
            allowed_fetch_urls: Vec::new(),
            network: NetworkConfig::default(),
        }
    }
}

impl Default for FsConfig {
    fn default() -> Self {
        Self {
            allowed_dirs: Vec::new(),
            block_upward_traversal: true,
            file_bytes: 1 << 20,
            root_bytes: 1 << 30,
            root_files: 50_000,
        }
    }
}

impl Default for GitConfig {
    fn default() -> Self {
        Self {
            provider: GitProvider::default(),
            repo: None,
            branch: "main".to_owned(),
            api_base_url: None,
            auth: GitIdentity::default(),
            write_strategy: GitWriteStrategy::default(),
            fetch_bytes: 128 << 20,
            timeout_ms: 300_000,
        }
    }
}

impl Default for GitIdentity {
    fn default() -> Self {
        Self { token: None, user: "tgp-bot[bot]".to_owned(), email: "tgp-bot@users.noreply.github.com".to_owned() }
    }
}

impl Default for SandboxConfig {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Self {
            memory_mb: 64,
            timeout_ms: 50,
            wall_ms: 30_000,
            isolation: IsolationMode::default(),
            workers: u32::try_from(cores).unwrap_or(1).clamp(1, MAX_DEFAULT_WORKERS),
            warm: 1,
            result_bytes: 8 << 20,
            args_bytes: 4 << 20,
            log_bytes: 256 << 10,
            host_calls: 64,
            queue: 1000,
            scratch_bytes: 16 << 20,
            scratch_files: 256,
            write_bytes: 64 << 20,
            write_files: 1000,
            call_depth: 8,
            nested_runs: 64,
            nested_timeout_ms: 1000,
            pending_bytes: 32 << 20,
            fetch_bytes: 8 << 20,
            fetch_timeout_ms: 10_000,
            seed: None,
            now: None,
        }
    }
}

impl Config {
    /// Reads and checks a configuration. The error names the key.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let config: Self = serde_json::from_str(text)
            .map_err(|error| Error::new(ErrorCode::Config, format!("The configuration is not valid: {error}.")))?;
        config.check()?;
        Ok(config)
    }

    fn check(&self) -> Result<(), Error> {
        let sandbox = &self.sandbox;
        for (range, value) in [
            (&MEMORY_MB, sandbox.memory_mb),
            (&TIMEOUT_MS, sandbox.timeout_ms),
            (&WALL_MS, sandbox.wall_ms),
            (&WORKERS, sandbox.workers),
            (&RESULT_BYTES, sandbox.result_bytes),
            (&ARGS_BYTES, sandbox.args_bytes),
            (&LOG_BYTES, sandbox.log_bytes),
            (&HOST_CALLS, sandbox.host_calls),
            (&QUEUE, sandbox.queue),
            (&SCRATCH_BYTES, sandbox.scratch_bytes),
            (&SCRATCH_FILES, sandbox.scratch_files),
            (&WRITE_BYTES, sandbox.write_bytes),
            (&WRITE_FILES, sandbox.write_files),
            (&CALL_DEPTH, sandbox.call_depth),
            (&NESTED_RUNS, sandbox.nested_runs),
            (&NESTED_TIMEOUT_MS, sandbox.nested_timeout_ms),
            (&PENDING_BYTES, sandbox.pending_bytes),
            (&FETCH_BYTES, sandbox.fetch_bytes),
            (&FETCH_TIMEOUT_MS, sandbox.fetch_timeout_ms),
        ] {
            range.check(value, "sandbox.", ErrorCode::Config)?;
        }
        let FsConfig { file_bytes, root_bytes, root_files, .. } = self.fs;
        for (range, value) in [(&FILE_BYTES, file_bytes), (&ROOT_BYTES, root_bytes), (&ROOT_FILES, root_files)] {
            range.check(value, "fs.", ErrorCode::Config)?;
        }
        if file_bytes > root_bytes {
            return Err(refused("fs.fileBytes", "must not be above fs.rootBytes: such a file could never be kept"));
        }
        check_rules(&self.rules)?;
        if sandbox.wall_ms < sandbox.timeout_ms {
            return Err(refused(
                "sandbox.wallMs",
                "must not be below sandbox.timeoutMs: a run could never use its CPU time",
            ));
        }
        if sandbox.warm > sandbox.workers {
            return Err(refused("sandbox.warm", "must not be above sandbox.workers"));
        }
        for (key, value) in [
            ("rootDir", &self.root_dir),
            ("git.branch", &self.git.branch),
            ("git.auth.user", &self.git.auth.user),
            ("git.auth.email", &self.git.auth.email),
        ] {
            if value.trim().is_empty() || value.contains(['\0', '\n', '\r']) {
                return Err(refused(key, "must be one line of text that is not empty"));
            }
        }
        self.network.check()?;
        self.git.check()
    }
}

impl GitConfig {
    fn check(&self) -> Result<(), Error> {
        for (range, value) in [(&GIT_FETCH_BYTES, self.fetch_bytes), (&GIT_TIMEOUT_MS, self.timeout_ms)] {
            range.check(value, "git.", ErrorCode::Config)?;
        }
        let is_hosted = self.provider != GitProvider::Local;
        let texts = [("git.repo", &self.repo), ("git.apiBaseUrl", &self.api_base_url)];
        for (key, value) in texts.iter().filter_map(|(key, value)| Some((key, value.as_deref()?))) {
            if value.trim().is_empty() || value.contains(['\0', '\n', '\r']) {
                return Err(refused(key, "must be one line of text that is not empty"));
            }
        }
        if is_hosted && self.repo.is_none() {
            return Err(refused("git.repo", "is missing: git.provider names a host, so say which repository there"));
        }
        if !is_hosted && self.api_base_url.is_some() {
            return Err(refused("git.apiBaseUrl", "belongs to a git.provider other than local"));
        }
        if let Some(url) = &self.api_base_url
            && !(url.starts_with("https://") || url.starts_with("http://"))
        {
            return Err(refused("git.apiBaseUrl", "must be an https:// address"));
        }
        if !is_hosted && self.write_strategy == GitWriteStrategy::Pr {
            return Err(refused("git.writeStrategy", "can be 'pr' only with git.provider github, gitlab or bitbucket"));
        }
        Ok(())
    }
}

impl SandboxConfig {
    pub fn limits(&self) -> RunLimits {
        RunLimits {
            memory_bytes: u64::from(self.memory_mb) << 20,
            cpu: Duration::from_millis(self.timeout_ms.into()),
            wall: Duration::from_millis(self.wall_ms.into()),
            result_bytes: self.result_bytes,
            log_bytes: self.log_bytes,
            host_calls: self.host_calls,
            call_bytes: self.args_bytes,
        }
    }

    /// What one run and all that it starts share.
    pub fn tree_limits(&self) -> TreeLimits {
        TreeLimits {
            runs: self.nested_runs,
            bytes: self.pending_bytes as usize,
            cpu: Duration::from_millis(self.nested_timeout_ms.into()),
        }
    }

    /// The longest text that a worker has a reason to send at once.
    pub fn longest_text(&self) -> usize {
        self.result_bytes.max(self.args_bytes).max(self.log_bytes) as usize
    }
}

impl Range {
    /// Refuses a value outside the range, by the name of its key.
    pub(super) fn check(&self, value: u32, prefix: &str, code: ErrorCode) -> Result<(), Error> {
        let Self(name, least, most) = self;
        if (*least..=*most).contains(&value) {
            return Ok(());
        }
        let message = format!("{prefix}{name} must be between {least} and {most}, not {value}.");
        Err(Error::new(code, message).with("key", format!("{prefix}{name}")))
    }
}

pub(super) fn refused(key: &str, why: &str) -> Error {
    Error::new(ErrorCode::Config, format!("{key} {why}.")).with("key", key)
}

#[cfg(test)]
mod tests {
    use super::Config;
    use crate::error::ErrorCode;

    #[test]
    fn nothing_gives_every_default() {
        let config = Config::from_json("{}").unwrap();
        assert_eq!(config, Config::default());
        assert_eq!((config.sandbox.memory_mb, config.sandbox.timeout_ms, config.sandbox.wall_ms), (64, 50, 30_000));
    }

    #[test]
    fn what_is_unknown_contradictory_or_out_of_range_is_refused_by_name() {
        for (json, key) in [
            (r#"{"rootdir":"x"}"#, "rootdir"),
            (r#"{"sandbox":{"memoryMb":1}}"#, "sandbox.memoryMb"),
            (r#"{"sandbox":{"timeoutMs":0}}"#, "sandbox.timeoutMs"),
            (r#"{"sandbox":{"timeoutMs":50000}}"#, "sandbox.wallMs"),
            (r#"{"sandbox":{"workers":1,"warm":2}}"#, "sandbox.warm"),
            (r#"{"sandbox":{"wallMs":"1"}}"#, "wallMs"),
            (r#"{"sandbox":{"scratchBytes":4000000000}}"#, "sandbox.scratchBytes"),
            (r#"{"sandbox":{"scratchFiles":100000}}"#, "sandbox.scratchFiles"),
            (r#"{"sandbox":{"callDepth":33}}"#, "sandbox.callDepth"),
            (r#"{"sandbox":{"nestedRuns":0}}"#, "sandbox.nestedRuns"),
            (r#"{"sandbox":{"nestedTimeoutMs":0}}"#, "sandbox.nestedTimeoutMs"),
            (r#"{"sandbox":{"pendingBytes":1}}"#, "sandbox.pendingBytes"),
            (r#"{"sandbox":{"fetchBytes":1}}"#, "sandbox.fetchBytes"),
            (r#"{"sandbox":{"fetchTimeoutMs":0}}"#, "sandbox.fetchTimeoutMs"),
            (r#"{"sandbox":{"writeFiles":1000001}}"#, "sandbox.writeFiles"),
            (r#"{"fs":{"allowed":[]}}"#, "allowed"),
            (r#"{"fs":{"fileBytes":1}}"#, "fs.fileBytes"),
            (r#"{"fs":{"rootBytes":1}}"#, "fs.rootBytes"),
            (r#"{"fs":{"rootFiles":0}}"#, "fs.rootFiles"),
            (r#"{"fs":{"fileBytes":4096,"rootBytes":2048}}"#, "fs.fileBytes"),
            (r#"{"git":{"branch":" "}}"#, "git.branch"),
            (r#"{"check":"lenient"}"#, "lenient"),
            (r#"{"rules":{"no-loops":"off"}}"#, "rules.no-loops"),
            (r#"{"rules":{"no-any":"fatal"}}"#, "fatal"),
            (r#"{"git":{"provider":"svn"}}"#, "svn"),
            (r#"{"git":{"provider":"github"}}"#, "git.repo"),
            (r#"{"git":{"repo":"a\nb"}}"#, "git.repo"),
            (r#"{"git":{"apiBaseUrl":"https://x"}}"#, "git.apiBaseUrl"),
            (r#"{"git":{"provider":"gitlab","repo":"a/b","apiBaseUrl":"x"}}"#, "git.apiBaseUrl"),
            (r#"{"git":{"repo":"x","writeStrategy":"pr"}}"#, "git.writeStrategy"),
        ] {
            let error = Config::from_json(json).unwrap_err();
            assert_eq!(error.code, ErrorCode::Config);
            if json.contains("\"1\"") {
                assert!(error.message.contains("invalid type"), "{}", error.message);
            } else {
                assert!(error.message.contains(key), "{json}: {}", error.message);
            }
        }
    }
}
