//! The write lock, held from the change on disk to the end of a write.

use crate::kernel::door::{Witness, with_trailer};
use parking_lot::MutexGuard;
use tgp_git::{Committed, CommittedContent, FileBackup, FileChange, GitError, Writing};

/// Excludes other threads of this process until it is dropped, also after the commit, so that a write is complete
/// before the next begins. Excludes other processes until the commit, if the repository could be locked.
pub struct WriteTurn<'h> {
    /// `None` once it is committed.
    writing: Option<Result<Writing<'h>, GitError>>,
    restores_files: bool,
    witness: &'h dyn Witness,
    /// Released after the repository's lock.
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

    /// The turn, or the error if the repository could not be locked.
    pub fn whole(mut self) -> Result<Self, GitError> {
        self.writing = self.writing.transpose()?.map(Ok);
        Ok(self)
    }

    /// Whether a commit restores unflushed files after a power failure.
    pub fn restores_files(&self) -> bool {
        self.restores_files && matches!(self.writing, Some(Ok(_)))
    }

    /// Logs the files that are about to change. Must be called after their old content is safe. Does nothing without
    /// the repository.
    pub fn begin_files<'p>(&mut self, paths: impl Iterator<Item = &'p str>) {
        if let Some(Ok(writing)) = &mut self.writing
            && let Err(error) = writing.begin_files(paths)
        {
            self.writing = Some(Err(error));
        }
    }

    /// Whether files are committed to separate branches.
    pub fn has_branches(&self) -> bool {
        matches!(&self.writing, Some(Ok(writing)) if writing.has_branches())
    }

    /// Whether the repository could be locked.
    pub const fn is_whole(&self) -> bool {
        matches!(self.writing, Some(Ok(_)))
    }

    /// How the history compares with this content of a file.
    pub fn held(&mut self, path: &str, content: &[u8]) -> Result<CommittedContent, GitError> {
        self.writing()?.held(path, content)
    }

    /// Commits the current content of a file before it changes. With pull requests also on a backup branch, which is
    /// returned.
    pub fn keep(&mut self, message: &str, path: &str, content: &[u8]) -> Result<Option<FileBackup>, GitError> {
        let message = self.witnessed(message);
        self.writing()?.commit_before(&message, FileChange { path, content: Some(content) })
    }

    /// Commits the current content of a file to a backup branch only.
    pub fn keep_beside(&mut self, path: &str, content: &[u8]) -> Result<FileBackup, GitError> {
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

    /// Commits the changes and releases the repository. Can be called once.
    pub fn commit(&mut self, message: &str, changes: &[FileChange<'_>]) -> Result<Committed, GitError> {
        let writing = self.writing.take().unwrap_or(Err(GitError::Fault))?;
        let committed = writing.commit(&self.witnessed(message), changes)?;
        if let Some(id) = &committed.id {
            self.witness.committed(id.as_str(), changes);
        }
        Ok(committed)
    }

    /// The message with the ledger trailer.
    fn witnessed(&self, message: &str) -> String {
        self.witness.trailer().map_or_else(|| message.to_owned(), |trailer| with_trailer(message, &trailer))
    }
}
