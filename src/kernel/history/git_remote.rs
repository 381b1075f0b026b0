//! Opens the repository and its remote by the configuration.

use super::pull_request_text::PullRequestDescriber;
use super::run_examples::RunExamples;
use super::workspace::Workspace;
use crate::kernel::check_config::lint_options;
use crate::kernel::config::{Config, GitProvider, GitWriteStrategy};
use crate::kernel::network::{authorities, git_http, proxy_warning};
use crate::kernel::secret_scan::SecretScan;
use crate::kernel::tool_paths::RESULTS;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::Error;
use tgp_compile::Compiler;
use tgp_git::{
    self, GitStore, Halt, Hydrated, Limits, LocalCommits, Provider, Publisher, RemoteOptions, RemoteUrl, Secret,
    StoreOptions, WorkTree, WriteStrategy,
};
use tgp_registry::META_FILE;
use tgp_vfs::{DiskVfs, TEMP_PREFIX};

/// Derived files: they are regenerated after a pull, and never conflict.
const DERIVED: [&str; 1] = [META_FILE];
/// The environment variable for a token of any provider; the provider's own variable has priority.
const ANY_TOKEN: &str = "TGP_GIT_TOKEN";

/// An opened repository.
pub struct GitHome {
    pub store: Arc<GitStore>,
    /// Only with a remote.
    pub publisher: Option<Publisher>,
    /// Whether there are commits to push.
    pub waiting: LocalCommits,
    pub warnings: Vec<String>,
}

const READ_ONLY: &str = "The root is read-only: its tools can be listed, found, checked and run, but nothing can be written, and \
                         no remote is used. Move rootDir to a writable location to change that.";

impl GitHome {
    /// Opens or creates the repository at `root`; with a remote, hydrates it.
    pub fn open(
        config: &Config,
        base_dir: &Path,
        root: &Path,
        vfs: &Arc<DiskVfs>,
        compiler: &Arc<Compiler>,
        examples: &Arc<RunExamples>,
        control: &ProcessControl,
    ) -> Result<Self, Error> {
        let options = store_options(config);
        let lint = lint_options(&config.rules, &config.allowed_imports, config.check);
        let secrets = SecretScan::new(compiler, &lint);
        let work: Arc<dyn WorkTree> = Arc::new(Workspace::new(Arc::clone(vfs), secrets));
        if tgp_git::is_read_only(root) {
            // A read-only root cannot pull.
            let store = Arc::new(GitStore::open_or_init(root, options, work)?);
            return Ok(Self {
                store,
                publisher: None,
                waiting: LocalCommits::None,
                warnings: vec![READ_ONLY.to_owned()],
            });
        }
        let Some(remote) = remote_options(config, base_dir, control)? else {
            let store = Arc::new(GitStore::open_or_init(root, options, work)?);
            return Ok(Self { store, publisher: None, waiting: LocalCommits::None, warnings: Vec::new() });
        };
        let describer = || -> Box<dyn tgp_git::Describe> {
            Box::new(PullRequestDescriber::new(
                Arc::clone(vfs),
                Arc::clone(compiler),
                lint.clone(),
                Arc::clone(examples),
            ))
        };
        let mut opened = tgp_git::open(root, &options, &work, &remote, describer)?;
        if remote.url.is_http() {
            opened.hydrated.warnings.extend(proxy_warning(&config.network));
        }
        let publisher = Some(Publisher::new(opened.upstream));
        let Hydrated { warnings, local: waiting, .. } = opened.hydrated;
        Ok(Self { store: opened.store, publisher, waiting, warnings })
    }
}

/// Cancellation of exchanges with a remote, and of the programs that they start.
#[derive(Debug, Clone, Default)]
pub struct ProcessControl {
    /// Cancels every exchange.
    pub halt: Halt,
    /// A launcher whose child processes end with this process.
    pub launcher: Option<PathBuf>,
}

/// The answer of a remote.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct RemoteAnswer {
    branches: usize,
    /// Whether the configured branch exists.
    has_branch: bool,
}

/// Queries the branches of the configured remote, without a workspace. `None` without a remote; the network
/// configuration is checked even then.
pub fn ask_remote(config: &Config, base_dir: &Path) -> Result<Option<RemoteAnswer>, Error> {
    authorities(&config.network, base_dir)?;
    let Some(remote) = remote_options(config, base_dir, &ProcessControl::default())? else { return Ok(None) };
    let (branches, has_branch) = tgp_git::ask(&remote, &config.git.branch, limits(config).time)?;
    Ok(Some(RemoteAnswer { branches, has_branch }))
}

fn store_options(config: &Config) -> StoreOptions {
    let git = &config.git;
    StoreOptions {
        branch: git.branch.clone(),
        author_name: git.auth.user.clone(),
        author_email: git.auth.email.clone(),
        exclude: vec![format!("{TEMP_PREFIX}*"), format!("/{RESULTS}/")],
        derived: DERIVED.map(str::to_owned).to_vec(),
        strategy: match git.write_strategy {
            GitWriteStrategy::Direct => WriteStrategy::Direct,
            GitWriteStrategy::Pr => WriteStrategy::PullRequest,
        },
        limits: limits(config),
    }
}

fn limits(config: &Config) -> Limits {
    Limits {
        fetch_bytes: config.git.fetch_bytes.into(),
        time: Duration::from_millis(config.git.timeout_ms.into()),
        file_bytes: config.fs.file_bytes.into(),
        files: config.fs.root_files.into(),
        root_bytes: config.fs.root_bytes.into(),
    }
}

fn remote_options(config: &Config, base_dir: &Path, control: &ProcessControl) -> Result<Option<RemoteOptions>, Error> {
    let Config { git: config, network, .. } = config;
    let Some(repo) = config.repo.as_deref() else { return Ok(None) };
    let http = git_http(network, base_dir)?;
    let (provider, variable) = match config.provider {
        GitProvider::Local => (Provider::Plain, ANY_TOKEN),
        GitProvider::Github => (Provider::GitHub, "TGP_GITHUB_TOKEN"),
        GitProvider::Gitlab => (Provider::GitLab, "TGP_GITLAB_TOKEN"),
        GitProvider::Bitbucket => (Provider::Bitbucket, "TGP_BITBUCKET_TOKEN"),
    };
    #[expect(clippy::disallowed_methods, reason = "tokens belong in the environment, not in a file")]
    let from_environment = || {
        let found =
            [variable, ANY_TOKEN].iter().find_map(|name| std::env::var(name).ok().filter(|text| !text.is_empty()));
        found.map(Secret::new)
    };
    let url = RemoteUrl::parse(provider, repo, config.api_base_url.as_deref(), base_dir)?;
    let token = config.auth.token.clone().or_else(from_environment);
    let ProcessControl { halt, launcher } = control.clone();
    Ok(Some(RemoteOptions { provider, url, api_base: config.api_base_url.clone(), token, launcher, http, halt }))
}
