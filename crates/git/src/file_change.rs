//! What a commit is to change.

/// One file of a commit.
#[derive(Debug, Clone, Copy)]
pub struct FileChange<'a> {
    /// Relative to the root, with `/`.
    pub path: &'a str,
    /// The file's new bytes; `None` removes it.
    pub content: Option<&'a [u8]>,
}
