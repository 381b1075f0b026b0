//! Shared context of repository operations.

use super::redo_log::RedoLog;
use crate::store_options::StoreOptions;
use crate::work_tree::work_tree::WorkTree;
use std::time::Duration;

/// The store's options, work tree, lock timeout and redo log.
pub(crate) struct Context<'s> {
    pub(crate) options: &'s StoreOptions,
    pub(crate) work: &'s dyn WorkTree,
    pub(crate) wait: Duration,
    /// The redo log, if objects are written without a flush.
    pub(crate) log: Option<&'s RedoLog>,
}
