//! The files of the root, as the repository sees them.

use std::io;

/// The plain files of the work tree. The owner of the root implements it, so that no hydrated content can reach the
/// disk other than through its jail.
pub trait WorkTree: Send + Sync {
    /// Whether a file may have this path here. What may not is kept in the history and never touches the disk.
    fn accepts(&self, path: &str) -> bool;

    /// Whether a file with this content must stay out of the history. One that is not in it stays on disk as it is, whatever
    /// others make of the path.
    fn is_held_back(&self, path: &str, content: &[u8]) -> bool;

    /// The bytes of the plain file at `path`; `None` when there is none.
    ///
    /// # Errors
    /// Whatever keeps a file that is there from being read.
    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>>;

    /// Makes `content` the file at `path`.
    ///
    /// # Errors
    /// `InvalidInput` when something that is not a plain file stands in the way.
    fn write(&self, path: &str, content: &[u8]) -> io::Result<()>;

    /// Removes the plain file at `path`, and directories that this leaves empty.
    ///
    /// # Errors
    /// `InvalidInput` when something that is not a plain file stands there.
    fn remove(&self, path: &str) -> io::Result<()>;
}
