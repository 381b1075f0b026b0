//! Section `git`: the remote and its credentials.

use super::limited_struct::limited_struct;
use super::refused::{check_line, refused};
use serde::{Deserialize, Serialize, Serializer};
use tgp_base::error::Error;
use tgp_git::{Secret, shown_address};

limited_struct! {
    /// The remote that tools are persisted to.
    pub struct GitConfig, GitLimits {
        pub provider: GitProvider = GitProvider::default(),
        /// Address of the remote; none for a local repository. Serialised without credentials.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shown")]
        #[cfg_attr(test, ts(optional))]
        pub repo: Option<String> = None,
        pub branch: String = "main".to_owned(),
        /// Address of the provider's API, if not the default one. Serialised without credentials.
        #[serde(skip_serializing_if = "Option::is_none", serialize_with = "shown")]
        #[cfg_attr(test, ts(optional))]
        pub api_base_url: Option<String> = None,
        pub auth: GitIdentity = GitIdentity::default(),
        pub write_strategy: GitWriteStrategy = GitWriteStrategy::default(),
    }
    limits {
        /// Maximum size of one fetch, as sent.
        fetch_bytes: 128 << 20, 64 << 10..=2 << 30;
        /// Time for one exchange with the remote.
        timeout_ms: 300_000, 100..=3_600_000;
    }
}

#[expect(clippy::ref_option, reason = "serde asks for a reference")]
fn shown<S: Serializer>(address: &Option<String>, serializer: S) -> Result<S::Ok, S::Error> {
    address.as_deref().map(shown_address).serialize(serializer)
}

/// Where tools are persisted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum GitProvider {
    #[default]
    Local,
    Github,
    Gitlab,
    Bitbucket,
}

/// How writes reach the remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum GitWriteStrategy {
    #[default]
    Direct,
    Pr,
}

/// The committer and the access token.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct GitIdentity {
    /// Always shown masked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub token: Option<Secret>,
    pub user: String,
    pub email: String,
}

impl Default for GitConfig {
    fn default() -> Self {
        Self::standard()
    }
}

impl Default for GitIdentity {
    fn default() -> Self {
        Self { token: None, user: "tgp-bot[bot]".to_owned(), email: "tgp-bot@users.noreply.github.com".to_owned() }
    }
}

impl GitConfig {
    pub(super) fn check(&self) -> Result<(), Error> {
        self.check_limits("git.")?;
        for (key, value) in
            [("git.branch", &self.branch), ("git.auth.user", &self.auth.user), ("git.auth.email", &self.auth.email)]
        {
            check_line(key, value)?;
        }
        let is_hosted = self.provider != GitProvider::Local;
        let texts = [("git.repo", &self.repo), ("git.apiBaseUrl", &self.api_base_url)];
        for (key, value) in texts.iter().filter_map(|(key, value)| Some((key, value.as_deref()?))) {
            check_line(key, value)?;
        }
        if is_hosted && self.repo.is_none() {
            return Err(refused(
                "git.repo",
                "is missing: git.provider is a hosting service, so the repository must be named",
            ));
        }
        if !is_hosted && self.api_base_url.is_some() {
            return Err(refused("git.apiBaseUrl", "requires a git.provider other than local"));
        }
        if let Some(url) = &self.api_base_url
            && !(url.starts_with("https://") || url.starts_with("http://"))
        {
            return Err(refused("git.apiBaseUrl", "must be an https:// address"));
        }
        Ok(())
    }
}
