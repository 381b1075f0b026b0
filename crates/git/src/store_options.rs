//! How a repository is opened and written to.

use super::git_error::GitError;
use super::limits::Limits;
use git2::Signature;

/// How a repository is opened and written to.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The first branch of a repository that has no commits. In any other, commits go to the branch that is checked
    /// out, as with `git commit`.
    pub branch: String,
    pub author_name: String,
    pub author_email: String,
    /// Patterns of files that `git status` shall not show, such as those of writes under way; kept in
    /// `.git/info/exclude`, not in the history.
    pub exclude: Vec<String>,
    /// Files that follow from the others. They never conflict: the caller makes them anew after others' commits came in.
    pub derived: Vec<String>,
    pub strategy: WriteStrategy,
    pub limits: Limits,
}

impl StoreOptions {
    pub(crate) fn author(&self) -> Result<Signature<'static>, GitError> {
        Signature::now(&self.author_name, &self.author_email).map_err(|_| GitError::BadAuthor)
    }
}

/// Where commits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStrategy {
    /// Commits go to the branch and are pushed to it.
    Direct,
    /// Each tool has a branch of its own, from the remote's, and a pull request.
    PullRequest,
}
