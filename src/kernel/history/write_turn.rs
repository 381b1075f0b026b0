//! The right to change files, from the change on disk to its commit.

use crate::git::{Committed, FileChange, GitError, Writing};
use parking_lot::MutexGuard;

/// No other thread of this process writes while this is held; no other process either, if the repository could be had.
pub struct WriteTurn<'h> {
    writing: Result<Writing<'h>, GitError>,
    restores_files: bool,
    /// Given up after the repository's lock.
    one_writer: MutexGuard<'h, ()>,
}

impl<'h> WriteTurn<'h> {
    pub fn new(one_writer: MutexGuard<'h, ()>, writing: Result<Writing<'h>, GitError>, restores_files: bool) -> Self {
        Self { writing, restores_files, one_writer }
    }

    /// The turn, unless the repository could not be had.
    pub fn whole(self) -> Result<Self, GitError> {
        let Self { writing, restores_files, one_writer } = self;
        Ok(Self { writing: Ok(writing?), restores_files, one_writer })
    }

    /// Whether a commit brings back files that were not flushed when the power went.
    pub fn restores_files(&self) -> bool {
        self.restores_files && self.writing.is_ok()
    }

    /// Commits what was written meanwhile.
    pub fn commit(self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        let Self { writing, restores_files: _, one_writer: _one_writer } = self;
        writing.and_then(|writing| writing.commit(message, changes))
    }
}
