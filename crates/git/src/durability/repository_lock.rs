//! The write lock of a repository, across processes.
//!
//! The operating system releases the lock when its holder dies, so it cannot be stale. The locked file is also a journal: it
//! lists the paths whose index entries are behind the branch, so that the next holder can finish the work of a killed process.
//! The file is permanent; its name does not end in `.lock`, so that it is not mistaken for a stale lock.
//!
//! A second lock is the queue: only its holder may wait for the write lock. A process that commits continuously has to queue
//! behind a waiting one and cannot starve the others.

use super::stale_lock::Evidence;
use crate::git_error::GitError;
use crate::limits::MAX_PATHS_BYTES;
use crate::regular_file;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) const LOCK_NAME: &str = "tgp-writer";
const QUEUE_NAME: &str = "tgp-queue";
const PAUSE: Duration = Duration::from_millis(1);
/// All paths that one update can change, with separators.
const MAX_JOURNAL_BYTES: u64 = 2 * MAX_PATHS_BYTES as u64;

/// First line of the journal while its holder changes files. If the next holder finds it, the previous one died.
const FILES_TOUCHED: &str = "working";
/// First line of the journal while its holder works without changing files. If the next holder finds it, the previous one died
/// and left the files unchanged.
const BRANCH_ONLY: &str = "looking";
/// First line of the journal if the index was not updated.
const STALE_INDEX: &str = "behind";

/// The held write lock; released on drop.
#[derive(Debug)]
pub(crate) struct RepositoryLock {
    file: File,
    behind: BTreeSet<String>,
    /// The journal state of the previous holder.
    previous: JournalState,
    /// The journal state of this holder.
    own: JournalState,
    index: IndexLevel,
}

/// Whether the index matches the branch at the paths of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexLevel {
    Behind,
    Level,
}

/// The state in the first line of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum JournalState {
    Idle,
    BranchOnly,
    FilesTouched,
}

impl RepositoryLock {
    /// Waits until the lock in `git_dir` is free, at most `wait`.
    pub(crate) fn acquire(git_dir: &Path, wait: Duration) -> Result<Self, GitError> {
        let deadline = Instant::now() + wait;
        let take = |name| match lock_file(&git_dir.join(name), deadline) {
            Ok(Some(file)) => Ok(file),
            Ok(None) => Err(GitError::Busy { seconds: wait.as_secs() }),
            Err(error) => Err(GitError::io("lock the repository")(error)),
        };
        let queue = take(QUEUE_NAME)?;
        let mut file = take(LOCK_NAME)?;
        drop(queue);
        let mut journal = Vec::new();
        let start = (&mut file).take(MAX_JOURNAL_BYTES).read_to_end(&mut journal);
        start.map_err(GitError::io("read the lock journal of the repository"))?;
        // Paths are text; a journal torn by a power cut yields paths that match nothing, which is harmless.
        let journal = String::from_utf8_lossy(&journal);
        let mut fields = journal.split('\0');
        let previous = match fields.next() {
            Some(FILES_TOUCHED) => JournalState::FilesTouched,
            Some(BRANCH_ONLY) => JournalState::BranchOnly,
            _ => JournalState::Idle,
        };
        let behind = fields.filter(|path| !path.is_empty()).map(ToOwned::to_owned).collect();
        Ok(Self { file, behind, previous, own: JournalState::Idle, index: IndexLevel::Behind })
    }

    /// What the journal implies about existing lock files.
    pub(crate) const fn evidence(&self) -> Evidence {
        match self.previous {
            JournalState::Idle => Evidence::AgeOnly,
            JournalState::BranchOnly | JournalState::FilesTouched => Evidence::HolderDied,
        }
    }

    /// Whether the previous holder died and may have changed the listed files.
    pub(crate) const fn has_unfinished_files(&self) -> bool {
        matches!(self.previous, JournalState::FilesTouched)
    }

    /// The paths whose index entries may differ from the branch.
    pub(crate) const fn behind(&self) -> &BTreeSet<String> {
        &self.behind
    }

    /// Records that the files at `paths` are about to change. If this process is killed, the next holder restores them from the
    /// history.
    pub(crate) fn begin<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        self.note(JournalState::FilesTouched, paths)
    }

    /// Records that the branch is about to change at `paths`. If this process is killed, the next holder leaves files alone that
    /// were not passed to [`Self::begin`].
    pub(crate) fn begin_branch<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        let own =
            if self.own == JournalState::FilesTouched { JournalState::FilesTouched } else { JournalState::BranchOnly };
        self.note(own, paths)
    }

    /// Sets the state of the index after the branch has moved.
    pub(crate) const fn set_index(&mut self, index: IndexLevel) {
        self.index = index;
    }

    pub(crate) const fn index(&self) -> IndexLevel {
        self.index
    }

    fn note<'p>(&mut self, own: JournalState, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        let known = self.behind.len();
        self.behind.extend(paths.map(ToOwned::to_owned));
        if self.own == own && self.behind.len() == known {
            return Ok(());
        }
        self.write(if own == JournalState::FilesTouched { FILES_TOUCHED } else { BRANCH_ONLY })?;
        self.own = own;
        Ok(())
    }

    /// Clears the journal: the index matches the branch.
    pub(crate) fn finish(mut self) -> Result<(), GitError> {
        self.behind.clear();
        self.write("")
    }

    /// Leaves the index update to the next holder.
    pub(crate) fn release_with_stale_index(mut self) -> Result<(), GitError> {
        self.write(STALE_INDEX)
    }

    fn write(&mut self, state: &str) -> Result<(), GitError> {
        let mut journal = state.to_owned();
        for path in &self.behind {
            journal.push('\0');
            journal.push_str(path);
        }
        let mut replace = || {
            self.file.rewind()?;
            self.file.set_len(0)?;
            self.file.write_all(journal.as_bytes())
        };
        replace().map_err(GitError::io("write the lock journal of the repository"))
    }
}

/// Locks the file at `path`; `None` if another process held the lock until `deadline`.
fn lock_file(path: &Path, deadline: Instant) -> io::Result<Option<File>> {
    let file = regular_file::open(path, File::options().read(true).write(true).create(true).truncate(false))?;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(Some(file)),
            Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
            Err(TryLockError::WouldBlock) => return Ok(None),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RepositoryLock;
    use crate::GitError;
    use crate::durability::stale_lock::Evidence;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    const SHORT: Duration = Duration::from_millis(50);

    #[test]
    fn acquiring_a_held_lock_waits_until_the_deadline() {
        let dir = tempfile::tempdir().unwrap();
        let first = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        let start = Instant::now();
        assert!(matches!(RepositoryLock::acquire(dir.path(), SHORT), Err(GitError::Busy { .. })));
        assert!(start.elapsed() >= SHORT);
        drop(first);
        RepositoryLock::acquire(dir.path(), SHORT).unwrap();
    }

    #[test]
    fn a_continuous_writer_cannot_starve_others() {
        let dir = tempfile::tempdir().unwrap();
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    let _held = RepositoryLock::acquire(dir.path(), Duration::from_secs(10)).unwrap();
                    std::thread::sleep(Duration::from_millis(5));
                }
            });
            std::thread::sleep(SHORT);
            let turns = (0..20).map(|_| RepositoryLock::acquire(dir.path(), Duration::from_secs(2)).is_ok());
            let turns = turns.filter(|got| *got).count();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(turns, 20);
        });
    }

    #[test]
    fn the_journal_reports_unfinished_work_to_the_next_holder() {
        let dir = tempfile::tempdir().unwrap();
        let mut lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!(lock.evidence(), Evidence::AgeOnly);
        lock.begin(["a b", "ä/\n"].into_iter()).unwrap();
        drop(lock);

        let lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!((lock.evidence(), lock.has_unfinished_files()), (Evidence::HolderDied, true));
        assert!(lock.behind().iter().eq(["a b", "ä/\n"]));
        lock.release_with_stale_index().unwrap();

        let lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!(lock.evidence(), Evidence::AgeOnly);
        assert_eq!(lock.behind().len(), 2);
        lock.finish().unwrap();

        let mut lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert!(lock.behind().is_empty());
        lock.begin_branch(["a b"].into_iter()).unwrap();
        drop(lock);

        let mut lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!((lock.evidence(), lock.has_unfinished_files()), (Evidence::HolderDied, false));
        lock.begin(["c"].into_iter()).unwrap();
        lock.begin_branch(["a b"].into_iter()).unwrap();
        drop(lock);
        assert!(RepositoryLock::acquire(dir.path(), SHORT).unwrap().has_unfinished_files());
    }
}
