//! One writer of a work tree at a time, across processes.
//!
//! A commit is safe by itself; but the files that belong to it are written before, and one of them (`meta.json`) is the
//! same for all writers. The system drops the lock with its holder, so it cannot be stale.

use super::git_error::GitError;
use std::fs::{File, TryLockError, create_dir_all};
use std::path::Path;
use std::time::{Duration, Instant};

const PAUSE: Duration = Duration::from_millis(2);

/// Held until it is dropped.
#[derive(Debug)]
pub struct WriterTurn {
    /// Closing it lets go of the lock.
    _file: File,
}

impl WriterTurn {
    pub(super) fn take(dir: &Path, wait: Duration) -> Result<Self, GitError> {
        create_dir_all(dir).map_err(GitError::io("create the repository's private directory"))?;
        let file = File::options().write(true).create(true).truncate(false).open(dir.join("turn"));
        let file = file.map_err(GitError::io("wait for other writers"))?;
        let deadline = Instant::now() + wait;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => std::thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => return Err(GitError::Busy { seconds: wait.as_secs() }),
                Err(TryLockError::Error(error)) => return Err(GitError::io("wait for other writers")(error)),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::WriterTurn;
    use crate::git::GitError;
    use std::time::Duration;

    #[test]
    fn the_second_waits_for_the_first() {
        let dir = tempfile::tempdir().unwrap();
        let take = || WriterTurn::take(dir.path(), Duration::from_millis(20));
        let first = take().unwrap();
        assert!(matches!(take(), Err(GitError::Busy { .. })));
        drop(first);
        take().unwrap();
    }
}
