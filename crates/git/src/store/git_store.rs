//! The public API of the local repository.

use super::access::Access;
use super::commit::{self, Committed, CommittedContent};
use super::held_back::{self, Released};
use super::repository_setup::{self, Flush};
use super::uncommitted::{self, FileState};
use super::upkeep::Upkeep;
use crate::branches::backup_branch::{self, FileBackup};
use crate::branches::{head, pending, strategy};
use crate::commit_id::CommitId;
use crate::durability::context::Context;
use crate::durability::redo::Suspicion;
use crate::durability::redo_log::{self, RedoLog};
use crate::durability::repository_lock::RepositoryLock;
use crate::durability::{damage, finish_write, redo};
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::file_change::FileChange;
use crate::git_error::GitError;
use crate::objects::trees::Trees;
use crate::store_options::{StoreOptions, WriteStrategy};
use crate::work_tree::work_tree::WorkTree;
use git2::Repository;
use parking_lot::{Mutex, MutexGuard};
use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// How long to wait for another writer, in this process or another.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// Limit for comparing all files with the history.
const COMPARE_TIMEOUT: Duration = Duration::from_secs(120);

/// A local Git repository with a work tree. Callers write new file contents; the store writes the history.
///
/// Safe to share between threads and to open in several processes.
pub struct GitStore {
    repository: Mutex<Repository>,
    /// The handle for commits with a redo log, if supported.
    logged: Option<Logged>,
    root: PathBuf,
    pub(crate) options: StoreOptions,
    work: Arc<dyn WorkTree>,
    access: Access,
    pub(super) upkeep: Arc<Upkeep>,
}

/// A handle that does not flush objects, and the redo log that makes them durable.
struct Logged {
    repository: Mutex<Repository>,
    log: RedoLog,
}

impl GitStore {
    /// Opens the repository at `root` or creates it, and recovers from a killed process.
    ///
    /// # Errors
    /// `NotOwned`, `BadConfiguration`, `Bare`, `BadBranch`, `BadAuthor`, `Busy`, `Git`, `Io`.
    pub fn open_or_init(root: &Path, options: StoreOptions, work: Arc<dyn WorkTree>) -> Result<Self, GitError> {
        Self::open_in_session(root, options, work, redo_log::session())
    }

    /// As [`Self::open_or_init`], with a given boot id.
    pub(crate) fn open_in_session(
        root: &Path,
        options: StoreOptions,
        work: Arc<dyn WorkTree>,
        session: Option<String>,
    ) -> Result<Self, GitError> {
        let repository = Mutex::new(repository_setup::open_or_init(root, &options, LOCK_TIMEOUT)?);
        let access = Access::of(&root.join(".git"));
        let upkeep = Upkeep::new(root, options.limits);
        if access == Access::ReadOnly {
            damage::check_head(&repository.lock())?;
            return Ok(Self { repository, logged: None, root: root.to_owned(), options, work, access, upkeep });
        }
        let log = |session| -> Result<_, GitError> {
            let repository = Mutex::new(repository_setup::open_again(root, Flush::Logged)?);
            Ok(Logged { repository, log: RedoLog::new(session) })
        };
        let logged = session.map(log).transpose()?;
        let store = Self { repository, logged, root: root.to_owned(), options, work, access, upkeep };
        let lock = RepositoryLock::acquire(store.repository()?.path(), LOCK_TIMEOUT)?;
        if let Some(Logged { log, .. }) = &store.logged {
            redo::redo(&*store.repository()?, &store.context(), log, &lock, Suspicion::Unconfirmed)?;
        }
        damage::check_head(&*store.repository()?)?;
        store.upkeep.begin_if_large(&store.repository()?.commondir().join("objects"));
        if !lock.behind().is_empty() {
            let repository = store.repository()?;
            finish_write::recover(&repository, &lock, &store.context())?;
            finish_write::finish_write(&repository, lock, &store.context());
        }
        Ok(store)
    }

    /// The current commit; `None` before the first one.
    ///
    /// # Errors
    /// `Busy`, `Git`.
    pub fn head(&self) -> Result<Option<CommitId>, GitError> {
        match head::target(&*self.repository()?, "HEAD") {
            Ok(commit) => Ok(commit.map(CommitId::from)),
            Err(error) => Err(GitError::git("read the current commit", &error)),
        }
    }

    /// A directory for local data outside the history. It may not exist yet. In a read-only repository without it, the `.git`
    /// directory is returned.
    ///
    /// # Errors
    /// `Busy`.
    pub fn private_dir(&self) -> Result<PathBuf, GitError> {
        let own = self.repository()?.path().to_owned();
        let private = own.join("tgp");
        Ok(if self.access == Access::ReadOnly && !private.is_dir() { own } else { private })
    }

    /// An error if the repository is read-only.
    ///
    /// # Errors
    /// `ReadOnly`.
    pub const fn check_writable(&self) -> Result<(), GitError> {
        match self.access {
            Access::Writable => Ok(()),
            Access::ReadOnly => Err(GitError::ReadOnly),
        }
    }

    /// Commits exactly `changes` to their branch, unless they change nothing, and updates the index for these files. Other
    /// files and staged changes are kept.
    ///
    /// # Errors
    /// `BadPath`, `DetachedHead`, `Busy`, `Git`, `Io`; then the branch is what it was.
    pub fn commit(&self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        let (repository, lock) = self.committer()?;
        let committed = commit::commit(&repository, lock, &self.context(), message, changes);
        self.upkeep.committed();
        committed
    }

    /// Whether a committed file survives a power cut even if it was written without a flush.
    #[must_use]
    pub const fn restores_files(&self) -> bool {
        self.logged.is_some()
    }

    /// Starts a write transaction, which excludes other writers until it ends.
    ///
    /// # Errors
    /// `Busy`, `Git`, `Io`.
    pub fn begin(&self) -> Result<Writing<'_>, GitError> {
        let (repository, mut lock) = self.committer()?;
        lock.begin_branch(std::iter::empty())?;
        Ok(Writing { store: self, held: Some((repository, lock)) })
    }

    /// The last commit of the branch that `path` belongs to.
    ///
    /// # Errors
    /// `DetachedHead`, `Busy`, `Git`.
    pub fn branch_head(&self, path: &str) -> Result<Option<CommitId>, GitError> {
        let change = FileChange { path, content: None };
        let target = strategy::target(&*self.repository()?, &self.options, &[change])?;
        Ok(target.commit.or(target.start).map(CommitId::from))
    }

    /// With pull requests: one of `paths` that is changed on another branch than that of the first path. One commit cannot
    /// change both.
    ///
    /// # Errors
    /// `Busy`, `Git`.
    pub fn changed_on_other_branch(&self, paths: &[&str]) -> Result<Option<String>, GitError> {
        let (WriteStrategy::PullRequest, Some(first)) = (self.options.strategy, paths.first()) else { return Ok(None) };
        let repository = self.repository()?;
        let own = pending::branch_for(&repository, &self.options, first)?;
        let others = pending::all(&repository, &self.options)?.into_iter().filter(|pending| pending.branch != own);
        let mut changed = others.flat_map(|pending| pending.changes).map(|change| change.path);
        Ok(changed.find(|path| paths.contains(&path.as_str())))
    }

    /// Whether the committed file at `path` in the current view has this content. Does not wait for writers.
    ///
    /// # Errors
    /// `Git`.
    pub fn is_checked_out(&self, path: &str, content: &[u8]) -> Result<bool, GitError> {
        // A separate handle, because the others may be in use.
        let repository = self.open_again()?;
        let trees = Trees::new(&repository, self.options.limits);
        let view = strategy::view(&repository, &self.options)?;
        Ok(commit::held_in(&trees, view, path, content)? == CommittedContent::Same)
    }

    /// The files of the work tree that differ from the history, sorted by path. `present` are the existing files. Ignored and
    /// derived files are skipped.
    ///
    /// # Errors
    /// `Git`, also after [`COMPARE_TIMEOUT`] and when `halt` is set.
    pub fn uncommitted(&self, present: &BTreeSet<String>, halt: &Halt) -> Result<Vec<(String, FileState)>, GitError> {
        // A separate handle, so that others do not wait while all files are read.
        let repository = self.open_again()?;
        let deadline = ExchangeDeadline::new(COMPARE_TIMEOUT, halt);
        let found = uncommitted::uncommitted(&repository, &self.options, &*self.work, present, &deadline);
        // The error of the deadline mentions a remote, which is not involved here.
        found.map_err(|error| {
            if !matches!(error, GitError::Unreachable { .. }) {
                return error;
            }
            let reason = format!("it took longer than {} s, or the kernel was shut down", COMPARE_TIMEOUT.as_secs());
            GitError::Git { action: "compare the files with the history", reason }
        })
    }

    /// Checks out the foreign version of files that were held back because of their content and no longer need to be.
    ///
    /// # Errors
    /// `ReadOnly`, `Busy`, `Git`, `Io`.
    pub fn release_held_back(&self) -> Result<(), GitError> {
        self.release().map(drop)
    }

    pub(crate) fn release(&self) -> Result<Released, GitError> {
        if self.access == Access::ReadOnly || !held_back::has_any(&*self.repository()?) {
            return Ok(Released::default());
        }
        let (repository, mut lock) = self.writer()?;
        let released = held_back::release(&repository, &mut lock, &self.context());
        finish_write::finish_write(&repository, lock, &self.context());
        released
    }

    /// Locks the repository for writing, after recovery from a killed process.
    pub(crate) fn writer(&self) -> Result<(MutexGuard<'_, Repository>, RepositoryLock), GitError> {
        self.writer_through(&self.repository)
    }

    /// As [`Self::writer`], without flushes: for logged commits and for data that need not survive a power cut.
    pub(crate) fn committer(&self) -> Result<(MutexGuard<'_, Repository>, RepositoryLock), GitError> {
        self.writer_through(self.logged.as_ref().map_or(&self.repository, |logged| &logged.repository))
    }

    fn writer_through<'s>(
        &'s self,
        handle: &'s Mutex<Repository>,
    ) -> Result<(MutexGuard<'s, Repository>, RepositoryLock), GitError> {
        self.check_writable()?;
        let repository = wait_for(handle)?;
        let lock = RepositoryLock::acquire(repository.path(), LOCK_TIMEOUT)?;
        let context = self.context();
        if let Some(known) = redo::suspicion(&repository, context.log) {
            repository_setup::restore_head(repository.path(), &self.options.branch)?;
            // A fresh handle without cached objects.
            let fresh = self.open_again()?;
            if let Some(log) = context.log {
                redo::redo(&fresh, &context, log, &lock, known)?;
            }
            damage::check_head(&fresh)?;
        }
        finish_write::recover(&repository, &lock, &context)?;
        Ok((repository, lock))
    }

    /// Configures the remote for users of `git` in the root.
    pub(crate) fn configure_remote(&self, url: &str) -> Result<(), GitError> {
        if repository_setup::has_remote(&*self.repository()?, url) {
            return Ok(());
        }
        let (repository, mut lock) = self.writer()?;
        lock.begin(std::iter::empty())?;
        let named = repository_setup::configure_remote(&repository, url, &self.options.branch);
        finish_write::finish_write(&repository, lock, &self.context());
        named
    }

    pub(crate) fn context(&self) -> Context<'_> {
        let log = self.logged.as_ref().map(|logged| &logged.log);
        Context { options: &self.options, work: &*self.work, wait: LOCK_TIMEOUT, log }
    }

    /// A separate handle, for long operations.
    pub(crate) fn open_again(&self) -> Result<Repository, GitError> {
        repository_setup::open_again(&self.root, Flush::Each)
    }

    fn repository(&self) -> Result<MutexGuard<'_, Repository>, GitError> {
        wait_for(&self.repository)
    }
}

fn wait_for(handle: &Mutex<Repository>) -> Result<MutexGuard<'_, Repository>, GitError> {
    handle.try_lock_for(LOCK_TIMEOUT).ok_or(GitError::Busy { seconds: LOCK_TIMEOUT.as_secs() })
}

/// A write transaction. Dropped without a commit, it does not change the history.
pub struct Writing<'s> {
    store: &'s GitStore,
    held: Option<(MutexGuard<'s, Repository>, RepositoryLock)>,
}

impl Writing<'_> {
    /// Records that the caller is about to write the files at `paths`. If the process dies before the commit, the next one
    /// restores them, so their current content must be committed or backed up first.
    ///
    /// # Errors
    /// `Io`; `Fault` after the commit.
    pub fn begin_files<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        let (_, lock) = self.held.as_mut().ok_or(GitError::Fault)?;
        lock.begin(paths)
    }

    /// Whether each tool has its own branch.
    #[must_use]
    pub fn has_branches(&self) -> bool {
        self.store.options.strategy == WriteStrategy::PullRequest
    }

    /// Compares content with the committed file.
    ///
    /// # Errors
    /// `DetachedHead`, `Git`; `Fault` after the commit.
    pub fn held(&self, path: &str, content: &[u8]) -> Result<CommittedContent, GitError> {
        let (repository, _) = self.held.as_ref().ok_or(GitError::Fault)?;
        commit::held(repository, &self.store.context(), path, content)
    }

    /// Commits the current version of a file before it is changed. With pull requests, whose branch may be discarded, also
    /// creates a backup branch, which is returned.
    ///
    /// # Errors
    /// As [`GitStore::commit`]; `Fault` after the commit.
    pub fn commit_before(&mut self, message: &str, change: FileChange<'_>) -> Result<Option<FileBackup>, GitError> {
        let (repository, lock) = self.held.as_mut().ok_or(GitError::Fault)?;
        let context = self.store.context();
        let advanced = commit::advance(repository, lock, &context, message, &[change]);
        if matches!(advanced, Err(GitError::Conflict { .. })) {
            held_back::release(repository, lock, &context)?;
        }
        let id = advanced?;
        match (self.store.options.strategy, id) {
            (WriteStrategy::PullRequest, Some(id)) => {
                let file = (change.path, change.content.unwrap_or_default());
                backup_branch::back_up_file(repository, &self.store.options, Some(id), file).map(Some)
            }
            (WriteStrategy::PullRequest | WriteStrategy::Direct, _) => Ok(None),
        }
    }

    /// Creates a backup branch with a file. The branch of the file is not changed.
    ///
    /// # Errors
    /// `DetachedHead`, `Git`; `Fault` after the commit.
    pub fn back_up(&self, path: &str, content: &[u8]) -> Result<FileBackup, GitError> {
        self.held.as_ref().ok_or(GitError::Fault)?;
        // Backups are not logged, so they are flushed.
        let repository = self.store.open_again()?;
        let options = &self.store.options;
        let change = FileChange { path, content: Some(content) };
        commit::refuse_large(options, &change)?;
        let target = strategy::target(&repository, options, &[change])?;
        backup_branch::back_up_file(&repository, options, target.commit.or(target.start), (path, content))
    }

    /// Commits `changes`, as [`GitStore::commit`] does.
    ///
    /// # Errors
    /// As [`GitStore::commit`].
    pub fn commit(mut self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        match self.held.take() {
            Some((repository, lock)) => {
                let committed = commit::commit(&repository, lock, &self.store.context(), message, changes);
                self.store.upkeep.committed();
                committed
            }
            None => self.store.commit(message, changes),
        }
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if let Some((repository, lock)) = self.held.take() {
            finish_write::finish_write(&repository, lock, &self.store.context());
        }
    }
}

impl Drop for GitStore {
    fn drop(&mut self) {
        self.upkeep.stop();
    }
}

impl fmt::Debug for GitStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("GitStore").field("options", &self.options).finish_non_exhaustive()
    }
}
