//! The pull request API of a Git host.

use super::pull_request::{PullRequest, PullRequestText};
use crate::git_error::GitError;

/// The pull request API of a Git host.
pub(crate) trait ForgeApi: Send + Sync {
    /// The newest pull request from `branch` to `base`, in any state.
    fn find(&self, branch: &str, base: &str) -> Result<Option<PullRequest>, GitError>;
    fn create(&self, branch: &str, base: &str, text: &PullRequestText) -> Result<PullRequest, GitError>;
    fn update(&self, number: u64, text: &PullRequestText) -> Result<(), GitError>;
}
