//! Disk usage of a folder.

/// Total size and number of files below a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    pub bytes: u64,
    pub files: u64,
}
