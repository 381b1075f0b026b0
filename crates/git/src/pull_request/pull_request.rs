//! A pull request, and the text that reviewers read.

use crate::git_error::GitError;
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
    pub(super) fn read(number: Option<u64>, url: Option<&str>, state: PullRequestState) -> Result<Self, GitError> {
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
