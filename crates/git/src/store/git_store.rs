//! The public face of the repository.

use super::access::Access;
use super::commit::{self, Committed, Held};
use super::held_back::{self, Released};
use super::repository_setup::{self, Flush};
use super::uncommitted::{self, FileState};
use super::upkeep::Upkeep;
use crate::branches::{backup_branch, head, pending, strategy};
use crate::commit_id::CommitId;
use crate::durability::context::Context;
use crate::durability::redo::Suspicion;
use crate::durability::redo_log::{self, RedoLog};
use crate::durability::repository_lock::RepositoryLock;
use crate::durability::{damage, redo, settle};
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

/// How long another writer, in this process or another, is waited for.
const LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// How long all files are compared with the history at most.
const COMPARE_TIMEOUT: Duration = Duration::from_secs(120);

/// An ordinary local repository with a work tree. New content of files is the caller's to write; this writes history.
///
/// Safe to share between threads, and to open many times in many processes.
pub struct GitStore {
    repository: Mutex<Repository>,
    /// What commits go through; without it through the other.
    logged: Option<Logged>,
    root: PathBuf,
    pub(crate) options: StoreOptions,
    work: Arc<dyn WorkTree>,
    access: Access,
    pub(super) upkeep: Arc<Upkeep>,
}

/// A handle whose objects are not flushed, and the log that makes up for it.
struct Logged {
    repository: Mutex<Repository>,
    log: RedoLog,
}

impl GitStore {
    /// Opens the repository at exactly `root` or creates it, and finishes what a killed process left undone.
    ///
    /// # Errors
    /// `NotOwned`, `BadConfiguration`, `Bare`, `BadBranch`, `BadAuthor`, `Busy`, `Git`, `Io`.
    pub fn open_or_init(root: &Path, options: StoreOptions, work: Arc<dyn WorkTree>) -> Result<Self, GitError> {
        Self::open_in_session(root, options, work, redo_log::session())
    }

    /// As [`Self::open_or_init`], since the start of the machine that `session` stands for.
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
            settle::recover(&repository, &lock, &store.context())?;
            settle::settle(&repository, lock, &store.context());
        }
        Ok(store)
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

    /// A directory for what belongs to this copy of the repository and not to its history. It may not exist yet, unless it
    /// could not be made: then it is one that has nothing of the kind.
    ///
    /// # Errors
    /// `Busy`.
    pub fn private_dir(&self) -> Result<PathBuf, GitError> {
        let own = self.repository()?.path().to_owned();
        let private = own.join("tgp");
        Ok(if self.access == Access::ReadOnly && !private.is_dir() { own } else { private })
    }

    /// Refuses to begin what could not be written.
    ///
    /// # Errors
    /// `ReadOnly`.
    pub const fn check_writable(&self) -> Result<(), GitError> {
        match self.access {
            Access::Writable => Ok(()),
            Access::ReadOnly => Err(GitError::ReadOnly),
        }
    }

    /// Commits exactly `changes` on top of the branch they belong to; no commit when they change nothing. Then makes
    /// `git status` agree about these files. Anything else in the work tree or staged by a person stays as it is.
    ///
    /// # Errors
    /// `BadPath`, `DetachedHead`, `Busy`, `Git`, `Io`; then the branch is what it was.
    pub fn commit(&self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        let (repository, lock) = self.committer()?;
        let committed = commit::commit(&repository, lock, &self.context(), message, changes);
        self.upkeep.committed();
        committed
    }

    /// Whether a committed file comes back after a power cut even if it was written without waiting for the disk.
    #[must_use]
    pub const fn restores_files(&self) -> bool {
        self.logged.is_some()
    }

    /// Begins a change: one step for other writers. Nobody moves files in between.
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

    /// One of `paths` that another branch than that of the first has changed, with pull requests: one commit cannot change
    /// both.
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

    /// Whether the file that is checked out at `path` holds this, on a branch or not, whoever else writes meanwhile.
    ///
    /// # Errors
    /// `Git`.
    pub fn is_checked_out(&self, path: &str, content: &[u8]) -> Result<bool, GitError> {
        // A handle of its own: the others may be in use.
        let repository = self.open_again()?;
        let trees = Trees::new(&repository, self.options.limits);
        let view = strategy::view(&repository, &self.options)?;
        Ok(commit::held_in(&trees, view, path, content)? == Held::Same)
    }

    /// The files among `present`, and those that should be, which the history has otherwise or not at all, sorted by path.
    /// Files that are ignored, or that follow from others, are left out.
    ///
    /// # Errors
    /// `Git`, also after [`COMPARE_TIMEOUT`] and when `halt` says so.
    pub fn uncommitted(&self, present: &BTreeSet<String>, halt: &Halt) -> Result<Vec<(String, FileState)>, GitError> {
        // A handle of its own: others need not wait until every file is read.
        let repository = self.open_again()?;
        let deadline = ExchangeDeadline::new(COMPARE_TIMEOUT, halt);
        let found = uncommitted::uncommitted(&repository, &self.options, &*self.work, present, &deadline);
        // ExchangeDeadline speaks of a remote, which has no part in this.
        found.map_err(|error| {
            if !matches!(error, GitError::Unreachable { .. }) {
                return error;
            }
            let reason = format!("it took longer than {} s, or the kernel was shut down", COMPARE_TIMEOUT.as_secs());
            GitError::Git { action: "compare the files with the history", reason }
        })
    }

    /// Brings others' version of files that stayed as they were because of what they held, where that is over: after a commit
    /// that was a conflict, too.
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
        settle::settle(&repository, lock, &self.context());
        released
    }

    /// The repository and the right to write to it, after finishing what a killed process left undone.
    pub(crate) fn writer(&self) -> Result<(MutexGuard<'_, Repository>, RepositoryLock), GitError> {
        self.writer_through(&self.repository)
    }

    /// As [`Self::writer`], without flushes: for commits that are logged, and for what need not survive a power cut.
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
            // A handle that remembers nothing of what it has read.
            let fresh = self.open_again()?;
            if let Some(log) = context.log {
                redo::redo(&fresh, &context, log, &lock, known)?;
            }
            damage::check_head(&fresh)?;
        }
        settle::recover(&repository, &lock, &context)?;
        Ok((repository, lock))
    }

    /// Names the remote for people who use `git` in the root.
    pub(crate) fn name_remote(&self, url: &str) -> Result<(), GitError> {
        if repository_setup::has_remote(&*self.repository()?, url) {
            return Ok(());
        }
        let (repository, mut lock) = self.writer()?;
        lock.begin(std::iter::empty())?;
        let named = repository_setup::name_remote(&repository, url, &self.options.branch);
        settle::settle(&repository, lock, &self.context());
        named
    }

    pub(crate) fn context(&self) -> Context<'_> {
        let log = self.logged.as_ref().map(|logged| &logged.log);
        Context { options: &self.options, work: &*self.work, wait: LOCK_TIMEOUT, log }
    }

    /// A handle of its own, for what takes long.
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

/// A change of files under way. Dropped without a commit, it leaves the history as it was.
pub struct Writing<'s> {
    store: &'s GitStore,
    held: Option<(MutexGuard<'s, Repository>, RepositoryLock)>,
}

impl Writing<'_> {
    /// Notes that the caller is about to write the files at `paths`: if the process dies before the commit, the next one puts
    /// them back. What they hold is to be safe by then.
    ///
    /// # Errors
    /// `Io`; `Fault` after the commit.
    pub fn begin_files<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        let (_, lock) = self.held.as_mut().ok_or(GitError::Fault)?;
        lock.begin(paths)
    }

    /// Whether files are committed to branches of their own.
    #[must_use]
    pub fn has_branches(&self) -> bool {
        self.store.options.strategy == WriteStrategy::PullRequest
    }

    /// What the history has of a file with this content.
    ///
    /// # Errors
    /// `DetachedHead`, `Git`; `Fault` after the commit.
    pub fn held(&self, path: &str, content: &[u8]) -> Result<Held, GitError> {
        let (repository, _) = self.held.as_ref().ok_or(GitError::Fault)?;
        commit::held(repository, &self.store.context(), path, content)
    }

    /// Commits a file as it is, before what this is the change for. The branch of a pull request may come to nothing: with
    /// them the commit is on a branch beside it as well, whose name this returns.
    ///
    /// # Errors
    /// As [`GitStore::commit`]; `Fault` after the commit.
    pub fn commit_before(&mut self, message: &str, change: FileChange<'_>) -> Result<Option<String>, GitError> {
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

    /// Makes a branch that holds a file as it is, and returns its name. The branch that the file belongs to stays as it is.
    ///
    /// # Errors
    /// `DetachedHead`, `Git`; `Fault` after the commit.
    pub fn back_up(&self, path: &str, content: &[u8]) -> Result<Option<String>, GitError> {
        self.held.as_ref().ok_or(GitError::Fault)?;
        // No log stands in for what is on no branch of a write: it is flushed.
        let repository = self.store.open_again()?;
        let options = &self.store.options;
        let change = FileChange { path, content: Some(content) };
        commit::refuse_large(options, &change)?;
        let target = strategy::target(&repository, options, &[change])?;
        backup_branch::back_up_file(&repository, options, target.commit.or(target.start), (path, content)).map(Some)
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
            settle::settle(&repository, lock, &self.store.context());
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
