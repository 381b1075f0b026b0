//! A change of one file in a commit.

/// A change of one file.
#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// The file's new bytes; `None` removes it.
    pub content: Option<&'a [u8]>,
}
