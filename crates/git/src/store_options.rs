//! Options of a repository.

use super::git_error::GitError;
use super::limits::Limits;
use git2::Signature;

/// Options for opening and writing a repository.
#[derive(Debug, Clone)]
pub struct StoreOptions {
    /// The first branch of a repository that has no commits. In any other, commits go to the branch that is checked
    /// out, as with `git commit`.
    pub branch: String,
    pub author_name: String,
    pub author_email: String,
    /// Patterns hidden from `git status`, such as temporary files; written to `.git/info/exclude`.
    pub exclude: Vec<String>,
    /// Generated files. They never conflict; the caller regenerates them after foreign commits.
    pub derived: Vec<String>,
    pub strategy: WriteStrategy,
    pub limits: Limits,
}

impl StoreOptions {
    pub(crate) fn author(&self) -> Result<Signature<'static>, GitError> {
        Signature::now(&self.author_name, &self.author_email).map_err(|_| GitError::BadAuthor)
    }
}

/// The target of commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WriteStrategy {
    /// Commits go to the branch and are pushed to it.
    Direct,
    /// Each tool has its own branch and pull request.
    PullRequest,
}
