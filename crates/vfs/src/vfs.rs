//! The file system trait.

use super::fingerprint::{Fingerprint, ListedFile};
use super::jail_path::JailPath;
use super::vfs_error::VfsError;

/// Default limit for the size of a file.
pub const DEFAULT_MAX_FILE_BYTES: usize = 1024 * 1024;

/// A file system of text files below one root.
///
/// Every operation refuses paths in a `.git` directory with `SecurityViolation`. Directories exist only while they contain
/// files.
pub trait Vfs: Send + Sync {
    /// The whole text of a file.
    ///
    /// # Errors
    /// `NotFound`, `NotAFile`, `TooLarge`, `NotText`, `SecurityViolation`, `Io`.
    fn read(&self, path: &JailPath) -> Result<String, VfsError>;

    /// Replaces the text of the file atomically and creates directories as needed. A reader sees the old text or the new
    /// one.
    ///
    /// # Errors
    /// `NotAFile` if the path is a directory, `NotADirectory` if a file is in the place of a parent directory,
    /// `TooLarge`, `SecurityViolation`, `Io`.
    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError>;

    /// Runs the checks of [`Vfs::write`] without writing.
    ///
    /// # Errors
    /// As [`Vfs::write`].
    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError>;

    /// Removes a file and parent directories left empty. A missing file is not an error.
    ///
    /// # Errors
    /// `NotAFile` for a directory, `SecurityViolation`, `Io`.
    fn remove(&self, path: &JailPath) -> Result<(), VfsError>;

    /// Whether a file, not a directory, exists at `path`.
    ///
    /// # Errors
    /// `SecurityViolation`, `Io`.
    fn exists(&self, path: &JailPath) -> Result<bool, VfsError>;

    /// The fingerprint of the file at `path`; `None` if there is no file or no reliable fingerprint.
    ///
    /// # Errors
    /// `SecurityViolation`, `Io`.
    fn fingerprint(&self, path: &JailPath) -> Result<Option<Fingerprint>, VfsError> {
        path.refuse_git().map(|()| None)
    }

    /// The files below `dir` at any depth, sorted by path. A missing directory has none.
    ///
    /// # Errors
    /// `NotADirectory` when `dir` is a file, `SecurityViolation`, `Io`.
    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError>;

    /// As [`Vfs::list`], with the fingerprint of each file that has one.
    ///
    /// # Errors
    /// As [`Vfs::list`].
    fn list_with_fingerprints(&self, dir: &JailPath) -> Result<Vec<ListedFile>, VfsError> {
        Ok(self.list(dir)?.into_iter().map(|path| ListedFile { path, fingerprint: None }).collect())
    }
}
