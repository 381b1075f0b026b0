//! The resolved configuration of a kernel.

use super::agent_config::AgentConfig;
use super::fs_config::FsConfig;
use super::git_config::GitConfig;
use super::guardian_mode::GuardianMode;
use super::ledger_config::LedgerConfig;
use super::memory_config::{MemoryMode, ReuseMode};
use super::network_config::NetworkConfig;
use super::refused::check_line;
use super::sandbox_config::SandboxConfig;
use super::secrets_config::{SecretsConfig, bound_secrets};
use super::tokens_config::TokensConfig;
use crate::kernel::check_config::{CheckMode, RuleLevels, check_rules};
use serde::{Deserialize, Serialize};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::mode::Mode;
use tgp_git::{Secret, password_in};

/// Packages that most tools need; JavaScript removes those that the application does not have.
const DEFAULT_IMPORTS: [&str; 3] = ["@tgp/std", "zod", "date-fns"];

/// The whole configuration. A key that is not here is refused.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Config {
    /// The agent's root, relative to the folder of the configuration.
    pub root_dir: String,
    pub git: GitConfig,
    pub sandbox: SandboxConfig,
    /// How a tool that fails its check is treated.
    pub check: CheckMode,
    pub rules: RuleLevels,
    /// How strictly tests are required.
    pub mode: Mode,
    /// What happens when the records of the workspace contradict each other.
    pub guardian: GuardianMode,
    /// Globs of tools that need no tests.
    pub exempt: Vec<String>,
    pub fs: FsConfig,
    /// Packages of the application that tools may import, with all their subpaths.
    pub allowed_imports: Vec<String>,
    /// Whether tools are found by meaning as well as by words, where there is a model.
    pub memory: MemoryMode,
    /// How a new tool that duplicates another is treated.
    pub reuse: ReuseMode,
    /// What tools may fetch: each entry is a URL prefix, compared part by part.
    pub allowed_fetch_urls: Vec<String>,
    pub network: NetworkConfig,
    pub agent: AgentConfig,
    /// Secrets that tools may use without seeing them, by name.
    pub secrets: SecretsConfig,
    pub ledger: LedgerConfig,
    pub tokens: TokensConfig,
}

/// The keys that are set, as far as a default depends on it.
#[derive(Default, Deserialize)]
#[serde(default)]
struct ExplicitKeys {
    sandbox: ExplicitSandboxKeys,
    ledger: Option<serde::de::IgnoredAny>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct ExplicitSandboxKeys {
    wall_ms: Option<u32>,
    waiting: Option<u32>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            root_dir: "./.tgp".to_owned(),
            git: GitConfig::default(),
            sandbox: SandboxConfig::default(),
            check: CheckMode::default(),
            rules: RuleLevels::new(),
            mode: Mode::default(),
            guardian: GuardianMode::default(),
            exempt: Vec::new(),
            fs: FsConfig::default(),
            allowed_imports: DEFAULT_IMPORTS.map(str::to_owned).to_vec(),
            memory: MemoryMode::default(),
            reuse: ReuseMode::default(),
            allowed_fetch_urls: Vec::new(),
            network: NetworkConfig::default(),
            secrets: SecretsConfig::new(),
            agent: AgentConfig::default(),
            ledger: LedgerConfig::default(),
            tokens: TokensConfig::default(),
        }
    }
}

impl Config {
    /// Reads and checks a configuration. The error names the key.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let invalid = |error| Error::new(ErrorCode::Config, format!("The configuration is not valid: {error}."));
        let mut config: Self = serde_json::from_str(text).map_err(invalid)?;
        let explicit: ExplicitKeys = serde_json::from_str(text).map_err(invalid)?;
        if explicit.sandbox.wall_ms.is_none() {
            config.sandbox.wall_ms = config.sandbox.wall_ms.max(config.sandbox.timeout_ms);
        }
        if explicit.sandbox.waiting.is_none() {
            config.sandbox.waiting = config.sandbox.waiting_by_memory();
        }
        config.ledger.is_wanted = explicit.ledger.is_some();
        config.check()?;
        Ok(config)
    }

    /// All secrets of the configuration except those of the section `secrets`.
    #[must_use]
    pub fn own_secrets(&self) -> Vec<Secret> {
        let Self { git, ledger, network, tokens, .. } = self;
        let whole = git.auth.token.iter().chain(&ledger.postgres).chain(&ledger.key).chain(&tokens.keys).cloned();
        let hidden = ledger.postgres.iter().chain(&network.proxy).map(Secret::expose);
        let addresses = git.repo.as_deref().into_iter().chain(git.api_base_url.as_deref()).chain(hidden);
        whole.chain(addresses.filter_map(password_in)).collect()
    }

    /// The defaults that do not depend on this machine.
    #[must_use]
    pub fn of_any_machine() -> Self {
        Self { sandbox: SandboxConfig::of_any_machine(), ..Self::default() }
    }

    fn check(&self) -> Result<(), Error> {
        self.sandbox.check()?;
        self.fs.check()?;
        check_rules(&self.rules)?;
        check_line("rootDir", &self.root_dir)?;
        self.network.check()?;
        bound_secrets(&self.secrets)?;
        self.agent.check()?;
        self.ledger.check()?;
        self.tokens.check()?;
        self.git.check()
    }
}

#[cfg(test)]
mod tests {
    use super::Config;
    use tgp_base::error::ErrorCode;

    #[test]
    fn an_empty_configuration_has_every_default() {
        let config = Config::from_json("{}").unwrap();
        assert_eq!(config, Config::default());
        assert_eq!((config.sandbox.memory_mb, config.sandbox.timeout_ms, config.sandbox.wall_ms), (64, 50, 30_000));
    }

    #[test]
    fn secrets_are_collected_and_not_serialised() {
        let text = r#"{"git":{"provider":"gitlab","repo":"https://bot:pass-1234@host/a.git","apiBaseUrl":"https://a:pass-5678@host","auth":{"token":"glpat-x"}},
            "network":{"proxy":"http://me:pass-9012@proxy:3128"},"tokens":{"keys":["0123456789abcdef0123456789abcdef"]}}"#;
        let config = Config::from_json(text).unwrap();
        let known: Vec<_> = config.own_secrets().iter().map(|secret| secret.expose().to_owned()).collect();
        assert_eq!(known, ["glpat-x", "0123456789abcdef0123456789abcdef", "pass-1234", "pass-5678", "pass-9012"]);
        let shown = serde_json::to_string(&config).unwrap();
        assert!(known.iter().all(|secret| !shown.contains(secret)), "{shown}");
        assert!(shown.contains("https://[hidden]@host/a.git"), "{shown}");
    }

    #[test]
    fn wall_ms_defaults_to_at_least_timeout_ms() {
        let wall = |json: &str| Config::from_json(json).unwrap().sandbox.wall_ms;
        assert_eq!(wall(r#"{"sandbox":{"timeoutMs":60000}}"#), 60_000);
        assert_eq!(wall(r#"{"sandbox":{"timeoutMs":100}}"#), 30_000);
        assert_eq!(wall(r#"{"sandbox":{"timeoutMs":100,"wallMs":200}}"#), 200);
    }

    #[test]
    fn waiting_defaults_to_what_fits_into_a_gigabyte() {
        let waiting = |json: &str| Config::from_json(json).unwrap().sandbox.waiting;
        assert_eq!(waiting("{}"), 16);
        assert_eq!(waiting(r#"{"sandbox":{"memoryMb":8}}"#), 16);
        assert_eq!(waiting(r#"{"sandbox":{"memoryMb":256}}"#), 4);
        assert_eq!(waiting(r#"{"sandbox":{"memoryMb":4096}}"#), 0);
        assert_eq!(waiting(r#"{"sandbox":{"memoryMb":256,"waiting":9}}"#), 9);
    }

    #[test]
    fn unknown_contradictory_or_out_of_range_keys_are_refused_by_name() {
        for (json, key) in [
            (r#"{"rootdir":"x"}"#, "rootdir"),
            (r#"{"sandbox":{"memoryMb":1}}"#, "sandbox.memoryMb"),
            (r#"{"sandbox":{"timeoutMs":0}}"#, "sandbox.timeoutMs"),
            (r#"{"sandbox":{"timeoutMs":50000,"wallMs":30000}}"#, "sandbox.wallMs"),
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
            (r#"{"agent":{"resultChars":1}}"#, "agent.resultChars"),
            (r#"{"git":{"branch":" "}}"#, "git.branch"),
            (r#"{"check":"lenient"}"#, "lenient"),
            (r#"{"memory":"on"}"#, "on"),
            (r#"{"reuse":"always"}"#, "always"),
            (r#"{"rules":{"no-loops":"off"}}"#, "rules.no-loops"),
            (r#"{"rules":{"no-any":"fatal"}}"#, "fatal"),
            (r#"{"git":{"provider":"svn"}}"#, "svn"),
            (r#"{"git":{"provider":"github"}}"#, "git.repo"),
            (r#"{"git":{"repo":"a\nb"}}"#, "git.repo"),
            (r#"{"git":{"apiBaseUrl":"https://x"}}"#, "git.apiBaseUrl"),
            (r#"{"git":{"provider":"gitlab","repo":"a/b","apiBaseUrl":"x"}}"#, "git.apiBaseUrl"),
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
