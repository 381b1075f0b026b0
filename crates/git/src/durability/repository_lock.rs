//! One writer at a time, across processes.
//!
//! The lock is one that the operating system drops with its holder, so it cannot be stale. The locked file doubles as a
//! journal: it names the paths whose index entries are behind the branch. Whoever takes the lock next finds there what
//! a killed process left undone. Its name does not end in `.lock`: it stays, and nobody should take it for a leftover.
//!
//! A second file is the queue: only who holds it may wait for the lock. A process that commits without a pause has to
//! queue behind a waiting one, so it cannot keep the others out.

use super::stale_lock::Evidence;
use crate::git_error::GitError;
use crate::limits::MAX_PATHS_BYTES;
use crate::plain_file;
use std::collections::BTreeSet;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

pub(crate) const LOCK_NAME: &str = "tgp-writer";
const QUEUE_NAME: &str = "tgp-queue";
const PAUSE: Duration = Duration::from_millis(1);
/// All paths that one landing can change, and their ends.
const MAX_JOURNAL_BYTES: u64 = 2 * MAX_PATHS_BYTES as u64;

/// First line of the journal while its holder works; found by the next holder, it means that this one died.
const WORKING: &str = "working";
/// First line of the journal while its holder works and has not touched a file; found by the next holder, it means that this
/// one died, and that the files are as people have them.
const LOOKING: &str = "looking";
/// First line of the journal when its holder had to leave the index behind.
const LEFT_BEHIND: &str = "behind";

/// The right to write to the repository; given up when dropped.
#[derive(Debug)]
pub(crate) struct RepositoryLock {
    file: File,
    behind: BTreeSet<String>,
    /// What the journal said when the lock was taken.
    found: Journal,
    /// What it says of this holder.
    own: Journal,
    index: IndexLevel,
}

/// Whether the index has what the branch has at the paths of the journal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum IndexLevel {
    Behind,
    Level,
}

/// What the first line of the journal says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Journal {
    Idle,
    Looking,
    Working,
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
        start.map_err(GitError::io("read the state of the repository"))?;
        // Paths are text; a journal torn by a power cut yields paths that match nothing, which is harmless.
        let journal = String::from_utf8_lossy(&journal);
        let mut fields = journal.split('\0');
        let found = match fields.next() {
            Some(WORKING) => Journal::Working,
            Some(LOOKING) => Journal::Looking,
            _ => Journal::Idle,
        };
        let behind = fields.filter(|path| !path.is_empty()).map(ToOwned::to_owned).collect();
        Ok(Self { file, behind, found, own: Journal::Idle, index: IndexLevel::Behind })
    }

    /// What the state of the journal says about lock files found now.
    pub(crate) const fn evidence(&self) -> Evidence {
        match self.found {
            Journal::Idle => Evidence::AgeOnly,
            Journal::Looking | Journal::Working => Evidence::HolderDied,
        }
    }

    /// Whether a holder died that may have changed the files it named.
    pub(crate) const fn left_files_half_done(&self) -> bool {
        matches!(self.found, Journal::Working)
    }

    /// The paths whose index entries may differ from the branch.
    pub(crate) const fn behind(&self) -> &BTreeSet<String> {
        &self.behind
    }

    /// Notes that the files at `paths` are about to change, to be called before they do: after a kill the next holder makes
    /// them what the history says.
    pub(crate) fn begin<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        self.note(Journal::Working, paths)
    }

    /// Notes that the branch is about to change at `paths`, to be called before it does. Files that were not begun are as
    /// people have them: after a kill they stay so.
    pub(crate) fn begin_branch<'p>(&mut self, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        let own = if self.own == Journal::Working { Journal::Working } else { Journal::Looking };
        self.note(own, paths)
    }

    /// Notes what became of the index, when the branch has moved.
    pub(crate) const fn set_index(&mut self, index: IndexLevel) {
        self.index = index;
    }

    pub(crate) const fn index(&self) -> IndexLevel {
        self.index
    }

    fn note<'p>(&mut self, own: Journal, paths: impl Iterator<Item = &'p str>) -> Result<(), GitError> {
        let known = self.behind.len();
        self.behind.extend(paths.map(ToOwned::to_owned));
        if self.own == own && self.behind.len() == known {
            return Ok(());
        }
        self.write(if own == Journal::Working { WORKING } else { LOOKING })?;
        self.own = own;
        Ok(())
    }

    /// Notes that the index is level with the branch.
    pub(crate) fn finish(mut self) -> Result<(), GitError> {
        self.behind.clear();
        self.write("")
    }

    /// Leaves the index to the next holder.
    pub(crate) fn leave_behind(mut self) -> Result<(), GitError> {
        self.write(LEFT_BEHIND)
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
        replace().map_err(GitError::io("note the state of the repository"))
    }
}

/// The file at `path`, locked; `None` when somebody else held it until `deadline`.
fn lock_file(path: &Path, deadline: Instant) -> io::Result<Option<File>> {
    let file = plain_file::open(path, File::options().read(true).write(true).create(true).truncate(false))?;
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
    fn a_second_holder_waits_until_its_deadline() {
        let dir = tempfile::tempdir().unwrap();
        let first = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        let start = Instant::now();
        assert!(matches!(RepositoryLock::acquire(dir.path(), SHORT), Err(GitError::Busy { .. })));
        assert!(start.elapsed() >= SHORT);
        drop(first);
        RepositoryLock::acquire(dir.path(), SHORT).unwrap();
    }

    #[test]
    fn a_holder_that_never_pauses_cannot_keep_others_out() {
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
    fn the_journal_tells_the_next_holder_what_happened() {
        let dir = tempfile::tempdir().unwrap();
        let mut lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!(lock.evidence(), Evidence::AgeOnly);
        lock.begin(["a b", "ä/\n"].into_iter()).unwrap();
        drop(lock);

        let lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!((lock.evidence(), lock.left_files_half_done()), (Evidence::HolderDied, true));
        assert!(lock.behind().iter().eq(["a b", "ä/\n"]));
        lock.leave_behind().unwrap();

        let lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!(lock.evidence(), Evidence::AgeOnly);
        assert_eq!(lock.behind().len(), 2);
        lock.finish().unwrap();

        let mut lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert!(lock.behind().is_empty());
        lock.begin_branch(["a b"].into_iter()).unwrap();
        drop(lock);

        let mut lock = RepositoryLock::acquire(dir.path(), SHORT).unwrap();
        assert_eq!((lock.evidence(), lock.left_files_half_done()), (Evidence::HolderDied, false));
        lock.begin(["c"].into_iter()).unwrap();
        lock.begin_branch(["a b"].into_iter()).unwrap();
        drop(lock);
        assert!(RepositoryLock::acquire(dir.path(), SHORT).unwrap().left_files_half_done());
    }
}
