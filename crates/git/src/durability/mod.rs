//! What a kill or a power cut must not take: the lock with its journal, the log of commits, and bringing both to an end.

pub(super) mod context;
pub(super) mod damage;
pub(super) mod lost_objects;
pub(super) mod redo;
pub(super) mod redo_log;
pub(super) mod repository_lock;
mod rewrite;
pub(super) mod settle;
pub(super) mod stale_lock;
