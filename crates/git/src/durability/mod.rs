//! Crash safety: the lock with its journal, the redo log of commits, and recovery from both.

pub(super) mod context;
pub(super) mod damage;
pub(super) mod finish_write;
pub(super) mod lost_objects;
pub(super) mod redo;
pub(super) mod redo_log;
pub(super) mod repository_lock;
mod rewrite;
pub(super) mod stale_lock;
