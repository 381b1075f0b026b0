//! The repository that remembers every tool.

mod commit;
mod commit_id;
mod git_error;
mod git_store;
mod head;
mod index_update;
mod repository_lock;
mod repository_setup;
mod stale_lock;
mod tree_update;
mod writer_turn;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod rivals;
#[cfg(test)]
mod test_repository;

pub use commit::{Committed, FileChange, IndexState};
pub use commit_id::CommitId;
pub use git_error::GitError;
pub use git_store::{GitStore, StoreOptions};
pub use writer_turn::WriterTurn;
