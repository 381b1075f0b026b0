//! The operations on files that the rest of the crate builds on.

use super::jail_path::JailPath;
use super::stamp::{Stamp, StampedFile};
use super::vfs_error::VfsError;

/// Largest file that is read or written when nothing else was asked for.
pub const DEFAULT_MAX_FILE_BYTES: usize = 1024 * 1024;

/// Text files below one root.
///
/// Nothing of any `.git` is ever read, written or named: such a path is a `SecurityViolation` in every operation.
/// Directories exist only as far as files are in them.
pub trait Vfs: Send + Sync {
    /// The whole text of a file.
    ///
    /// # Errors
    /// `NotFound`, `NotAFile`, `TooLarge`, `NotText`, `SecurityViolation`, `Io`.
    fn read(&self, path: &JailPath) -> Result<String, VfsError>;

    /// Makes `content` the text of the file, creating directories as needed. All or nothing: whatever happens, a reader
    /// sees the old text or the new one.
    ///
    /// # Errors
    /// `NotAFile` when a directory stands there, `NotADirectory` when a file stands where a directory is needed,
    /// `TooLarge`, `SecurityViolation`, `Io`.
    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError>;

    /// Whether [`Vfs::write`] would make `content` the text of the file, as far as that can be told without writing.
    ///
    /// # Errors
    /// As [`Vfs::write`].
    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError>;

    /// Removes a file, and the directories that this leaves empty. A file that is not there is no error.
    ///
    /// # Errors
    /// `NotAFile` for a directory, `SecurityViolation`, `Io`.
    fn remove(&self, path: &JailPath) -> Result<(), VfsError>;

    /// Whether there is a file at `path`; a directory is none.
    ///
    /// # Errors
    /// `SecurityViolation`, `Io`.
    fn exists(&self, path: &JailPath) -> Result<bool, VfsError>;

    /// The stamp of the file at `path`; `None` when there is no file, or none whose stamp shows every change.
    ///
    /// # Errors
    /// `SecurityViolation`, `Io`.
    fn stamp(&self, path: &JailPath) -> Result<Option<Stamp>, VfsError> {
        path.refuse_git().map(|()| None)
    }

    /// The files below `dir` at any depth, sorted by path. A directory that is not there holds no files.
    ///
    /// # Errors
    /// `NotADirectory` when `dir` is a file, `SecurityViolation`, `Io`.
    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError>;

    /// As [`Vfs::list`], with a stamp for every file that has one.
    ///
    /// # Errors
    /// As [`Vfs::list`].
    fn list_stamped(&self, dir: &JailPath) -> Result<Vec<StampedFile>, VfsError> {
        Ok(self.list(dir)?.into_iter().map(|path| StampedFile { path, stamp: None }).collect())
    }
}
