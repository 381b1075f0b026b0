//! The right to change files, from the change on disk to the end of the write.

use crate::kernel::door::{Witness, with_trailer};
use parking_lot::MutexGuard;
use tgp_git::{Committed, FileChange, GitError, Held, Writing};

/// No other thread of this process writes while this is held, after the commit too: what a write has left to do, it does
/// before the next one begins. No other process writes until the commit, if the repository could be had.
pub struct WriteTurn<'h> {
    /// `None` once it is committed.
    writing: Option<Result<Writing<'h>, GitError>>,
    restores_files: bool,
    witness: &'h dyn Witness,
    /// Given up after the repository's lock.
    _one_writer: MutexGuard<'h, ()>,
}

impl<'h> WriteTurn<'h> {
    pub fn new(
        one_writer: MutexGuard<'h, ()>,
        writing: Result<Writing<'h>, GitError>,
        restores_files: bool,
        witness: &'h dyn Witness,
    ) -> Self {
        Self { writing: Some(writing), restores_files, witness, _one_writer: one_writer }
    }

    /// The turn, unless the repository could not be had.
    pub fn whole(mut self) -> Result<Self, GitError> {
        self.writing = self.writing.transpose()?.map(Ok);
        Ok(self)
    }

    /// Whether a commit brings back files that were not flushed when the power went.
    pub fn restores_files(&self) -> bool {
        self.restores_files && matches!(self.writing, Some(Ok(_)))
    }

    /// Notes which files are about to change, to be called when what they hold is safe. Without the repository nothing is
    /// noted.
    pub fn begin_files<'p>(&mut self, paths: impl Iterator<Item = &'p str>) {
        if let Some(Ok(writing)) = &mut self.writing
            && let Err(error) = writing.begin_files(paths)
        {
            self.writing = Some(Err(error));
        }
    }

    /// Whether files are committed to branches of their own.
    pub fn has_branches(&self) -> bool {
        matches!(&self.writing, Some(Ok(writing)) if writing.has_branches())
    }

    /// Whether the repository could be had.
    pub const fn is_whole(&self) -> bool {
        matches!(self.writing, Some(Ok(_)))
    }

    /// What the history has of a file with this content.
    pub fn held(&mut self, path: &str, content: &[u8]) -> Result<Held, GitError> {
        self.writing()?.held(path, content)
    }

    /// Commits a file as it is, before it is changed; with pull requests on a branch beside theirs too, which this names.
    pub fn keep(&mut self, message: &str, path: &str, content: &[u8]) -> Result<Option<String>, GitError> {
        let message = self.witnessed(message);
        self.writing()?.commit_before(&message, FileChange { path, content: Some(content) })
    }

    /// Commits a file as it is on a branch beside its own, which this names, and leaves its own as it is.
    pub fn keep_beside(&mut self, path: &str, content: &[u8]) -> Result<Option<String>, GitError> {
        self.writing()?.back_up(path, content)
    }

    fn writing(&mut self) -> Result<&mut Writing<'h>, GitError> {
        if matches!(self.writing, Some(Err(_)))
            && let Some(Err(error)) = self.writing.take()
        {
            return Err(error);
        }
        self.writing.as_mut().and_then(|writing| writing.as_mut().ok()).ok_or(GitError::Fault)
    }

    /// Commits what was written meanwhile and gives the repository back, once.
    pub fn commit(&mut self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        let writing = self.writing.take().unwrap_or(Err(GitError::Fault))?;
        let committed = writing.commit(&self.witnessed(message), changes)?;
        if let Some(id) = &committed.id {
            let paths: Vec<&str> = changes.iter().map(|change| change.path).collect();
            self.witness.committed(id.as_str(), &paths);
        }
        Ok(committed)
    }

    /// The message, with how far the ledger is.
    fn witnessed(&self, message: &str) -> String {
        self.witness.trailer().map_or_else(|| message.to_owned(), |trailer| with_trailer(message, &trailer))
    }
}
