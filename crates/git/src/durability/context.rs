//! What every change of the repository needs to know of it.

use super::redo_log::RedoLog;
use crate::store_options::StoreOptions;
use crate::work_tree::work_tree::WorkTree;
use std::time::Duration;

/// What a commit needs to know of its store.
pub(crate) struct Context<'s> {
    pub(crate) options: &'s StoreOptions,
    pub(crate) work: &'s dyn WorkTree,
    pub(crate) wait: Duration,
    /// Where objects are written without waiting for the disk, and logged instead.
    pub(crate) log: Option<&'s RedoLog>,
}
