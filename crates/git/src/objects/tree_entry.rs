//! An entry of a tree.

use super::raw_tree::RawEntry;
use git2::Oid;

/// The object and mode of a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: Oid,
    /// `None`: keep the executable bit of the existing file.
    pub(crate) mode: Option<i32>,
}

impl Entry {
    /// Converts a raw entry.
    pub(crate) const fn of(entry: &RawEntry<'_>) -> Self {
        Self { id: entry.id, mode: Some(entry.meaning()) }
    }
}

impl From<Oid> for Entry {
    fn from(id: Oid) -> Self {
        Self { id, mode: None }
    }
}
