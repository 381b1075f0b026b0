//! The local repository: setup, commits, checkout of foreign commits, history and maintenance.

pub(super) mod access;
pub(super) mod commit;
mod gc_lock;
pub(super) mod git_store;
pub(super) mod held_back;
pub(super) mod history;
pub(super) mod history_index;
pub(super) mod landing;
pub(super) mod message_search;
pub(super) mod pack_merging;
pub(super) mod packing;
pub(super) mod repository_owner;
pub(super) mod repository_setup;
pub(super) mod special_files;
pub(super) mod uncommitted;
pub(super) mod upkeep;
mod user_configuration;
