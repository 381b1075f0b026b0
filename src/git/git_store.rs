//! The public face of the repository.

use super::commit::{self, Committed, FileChange};
use super::commit_id::CommitId;
use super::git_error::GitError;
use super::head;
use super::repository_lock::RepositoryLock;
use super::repository_setup;
use super::writer_turn::WriterTurn;
use git2::{Repository, Signature};
use parking_lot::{Mutex, MutexGuard};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How long another writer, in this process or another, is waited for.
const WAIT: Duration = Duration::from_secs(10);

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
}

/// An ordinary local repository with a work tree. The files in the work tree are the caller's; this writes history.
///
/// Safe to share between threads, and to open many times in many processes.
pub struct GitStore {
    repository: Mutex<Repository>,
    options: StoreOptions,
}

impl GitStore {
    /// Opens the repository at exactly `root` or creates it, and finishes what a killed process left undone.
    ///
    /// # Errors
    /// `NotOwned`, `BadConfiguration`, `Bare`, `BadBranch`, `BadAuthor`, `Busy`, `Git`, `Io`.
    pub fn open_or_init(root: &Path, options: StoreOptions) -> Result<Self, GitError> {
        let repository = repository_setup::open_or_init(root, &options, WAIT)?;
        let lock = RepositoryLock::acquire(repository.path(), WAIT)?;
        if !lock.behind().is_empty() {
            commit::clear_leftovers(&repository, &lock)?;
            commit::settle(&repository, lock);
        }
        Ok(Self { repository: Mutex::new(repository), options })
    }

    /// The commit that is checked out; `None` before the first one.
    ///
    /// # Errors
    /// `Busy`, `Git`.
    pub fn head(&self) -> Result<Option<CommitId>, GitError> {
        match head::target(&*self.repository()?, "HEAD") {
            Ok(commit) => Ok(commit.map(CommitId::from)),
            Err(error) => Err(GitError::git("read the current commit", &error)),
        }
    }

    /// A directory for what belongs to this copy of the repository and not to its history. It may not exist yet.
    ///
    /// # Errors
    /// `Busy`.
    pub fn private_dir(&self) -> Result<PathBuf, GitError> {
        Ok(self.repository()?.path().join("tgp"))
    }

    /// Waits for every other writer of this work tree, in this process or another, and keeps them waiting until the turn
    /// is dropped: what is written to files meanwhile and then committed is one step.
    ///
    /// # Errors
    /// `Busy`, `Io`.
    pub fn take_turn(&self) -> Result<WriterTurn, GitError> {
        WriterTurn::take(&self.private_dir()?, WAIT)
    }

    /// Commits exactly `changes` on top of the checked-out branch; no commit when they change nothing. Then makes
    /// `git status` agree about these files. Anything else in the work tree or staged by a person stays as it is.
    ///
    /// # Errors
    /// `BadPath`, `DetachedHead`, `Busy`, `Git`, `Io`; then the branch is what it was.
    pub fn commit(&self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        let repository = self.repository()?;
        let lock = RepositoryLock::acquire(repository.path(), WAIT)?;
        let author =
            Signature::now(&self.options.author_name, &self.options.author_email).map_err(|_| GitError::BadAuthor)?;
        commit::commit(&repository, lock, &author, message, changes, WAIT)
    }

    fn repository(&self) -> Result<MutexGuard<'_, Repository>, GitError> {
        self.repository.try_lock_for(WAIT).ok_or(GitError::Busy { seconds: WAIT.as_secs() })
    }
}

impl fmt::Debug for GitStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("GitStore").field("options", &self.options).finish_non_exhaustive()
    }
}
