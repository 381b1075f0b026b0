//! What every change of the repository needs to know of it.

use super::redo_log::RedoLog;
use crate::git::store_options::StoreOptions;
use crate::git::work_tree::work_tree::WorkTree;
use std::time::Duration;

/// What a commit needs to know of its store.
pub(in crate::git) struct Context<'s> {
    pub(in crate::git) options: &'s StoreOptions,
    pub(in crate::git) work: &'s dyn WorkTree,
    pub(in crate::git) wait: Duration,
    /// Where objects are written without waiting for the disk, and logged instead.
    pub(in crate::git) log: Option<&'s RedoLog>,
}
