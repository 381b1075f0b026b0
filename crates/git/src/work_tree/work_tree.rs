//! The work tree interface.

use std::io;

/// The regular files of the work tree. Implemented by the owner of the root, so that all content is written through its jail.
pub trait WorkTree: Send + Sync {
    /// Whether a path is valid here. Files with other paths stay in the history and are never written.
    fn accepts(&self, path: &str) -> bool;

    /// Whether a file with this content must not be committed. Such a file is not overwritten by foreign commits.
    fn is_held_back(&self, path: &str, content: &[u8]) -> bool;

    /// The bytes of the regular file at `path`; `None` if it does not exist.
    ///
    /// # Errors
    /// The read error of an existing file.
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Writes the file at `path`.
    ///
    /// # Errors
    /// `InvalidInput` if the path exists and is not a regular file.
    fn write(&self, path: &str, content: &[u8]) -> io::Result<()>;

    /// Removes the regular file at `path` and parent directories left empty.
    ///
    /// # Errors
    /// `InvalidInput` if the path is not a regular file.
    fn remove(&self, path: &str) -> io::Result<()>;
}
