//! What a path of a tree holds.

use super::raw_tree::RawEntry;
use git2::Oid;

/// What a path is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) id: Oid,
    /// `None`: as executable as the file that is there.
    pub(crate) mode: Option<i32>,
}

impl Entry {
    /// What an entry of a tree is taken for.
    pub(crate) const fn of(entry: &RawEntry<'_>) -> Self {
        Self { id: entry.id, mode: Some(entry.meaning()) }
    }
}

impl From<Oid> for Entry {
    fn from(id: Oid) -> Self {
        Self { id, mode: None }
    }
}
