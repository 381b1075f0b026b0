//! Pull requests, through the REST API of whoever hosts the repository.

mod bitbucket;
mod github;
mod gitlab;
mod rest_client;

use super::git_error::GitError;
use super::remote_url::Provider;
use super::upstream_setup::RemoteOptions;
use rest_client::RestClient;
use url::Url;

const LONGEST_LINK: usize = 2048;

/// A request to merge one branch into another, whatever its host calls it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequest {
    pub number: u64,
    /// Where people look at it.
    pub url: String,
    pub state: PullRequestState,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PullRequestState {
    Open,
    /// Merged or declined.
    Done,
}

impl PullRequest {
    /// Read from an answer of a host, if that held what it must.
    fn read(number: Option<u64>, url: Option<&str>, state: PullRequestState) -> Result<Self, GitError> {
        match (number, url) {
            (Some(number), Some(url)) if is_link(url) => Ok(Self { number, url: url.to_owned(), state }),
            _ => Err(GitError::protocol("its API did not answer as git.provider says; check git.apiBaseUrl")),
        }
    }
}

/// Whether people can be sent there.
fn is_link(url: &str) -> bool {
    url.len() <= LONGEST_LINK && Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"))
}

/// What a reviewer reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PullRequestText {
    pub title: String,
    /// Markdown.
    pub body: String,
}

/// Tells what a change is about.
pub trait Describe: Send + Sync {
    fn describe(&self, paths: &[String]) -> PullRequestText;
}

/// What is asked of a host.
pub(super) trait ForgeApi: Send + Sync {
    /// The newest pull request from `branch` to `base`, in whatever state.
    fn find(&self, branch: &str, base: &str) -> Result<Option<PullRequest>, GitError>;
    fn create(&self, branch: &str, base: &str, text: &PullRequestText) -> Result<PullRequest, GitError>;
    fn update(&self, number: u64, text: &PullRequestText) -> Result<(), GitError>;
}

/// The API of the host of the remote.
pub(super) fn connect(remote: &RemoteOptions) -> Result<Box<dyn ForgeApi>, GitError> {
    let RemoteOptions { provider, url, api_base, token, halt, .. } = remote;
    let missing = GitError::BadRemote {
        reason: "pull requests need git.provider github, gitlab or bitbucket and git.repo as owner/name or an address",
    };
    let (Some(project), Some(origin)) = (url.project.clone(), url.origin.as_deref()) else { return Err(missing) };
    let client = |default: String| {
        RestClient::new(api_base.as_deref().unwrap_or(&default), *provider, token.clone(), halt.clone())
    };
    match provider {
        Provider::Plain => Err(missing),
        Provider::GitHub => {
            let default = match origin {
                "https://github.com" => "https://api.github.com".to_owned(),
                other => format!("{other}/api/v3"),
            };
            Ok(Box::new(github::GitHub { client: client(default)?, project }))
        }
        Provider::GitLab => Ok(Box::new(gitlab::GitLab { client: client(format!("{origin}/api/v4"))?, project })),
        Provider::Bitbucket => {
            Ok(Box::new(bitbucket::Bitbucket { client: client("https://api.bitbucket.org/2.0".to_owned())?, project }))
        }
    }
}
