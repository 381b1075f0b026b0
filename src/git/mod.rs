//! The repository that remembers every tool, and the remote that it is shared through.

mod checkout;
mod commit;
mod commit_id;
mod commit_object;
mod courier;
mod credentials;
mod foreign;
mod forge_api;
mod git_error;
mod git_store;
mod head;
mod history;
mod http_client;
mod hydrate;
mod index_file;
mod index_update;
mod kept;
mod landing;
mod left_out;
mod limits;
mod object_copy;
mod objects;
mod outgoing;
mod pack;
mod path_remote;
mod patience;
mod pending;
mod pending_status;
mod plain_file;
mod planted;
mod publisher;
mod pull_request;
mod push;
mod raw_tree;
mod redo;
mod redo_log;
mod remote;
mod remote_url;
mod replay;
mod repository_lock;
mod repository_setup;
mod secret;
mod smart;
mod stale_lock;
mod tree_changes;
mod tree_names;
mod tree_update;
mod trees;
mod upstream;
mod upstream_setup;
mod work_tree;
mod write_strategy;

#[cfg(test)]
mod oracle;
#[cfg(test)]
mod rivals;
#[cfg(test)]
mod test_repository;

pub use commit::{Committed, FileChange, IndexState};
pub use commit_id::CommitId;
pub use forge_api::{Describe, PullRequest, PullRequestState, PullRequestText};
pub use git_error::GitError;
pub use git_store::{GitStore, StoreOptions, Writing};
pub use history::LogEntry;
pub use hydrate::{Hydrated, LocalCommits};
pub use limits::{Limit, Limits};
pub use patience::Halt;
pub use publisher::{Published, Publisher, Reach, Ticket};
pub use remote_url::{Provider, RemoteUrl};
pub use secret::Secret;
pub use upstream::Upstream;
pub use upstream_setup::{Opened, RemoteOptions, ask, open};
pub use work_tree::WorkTree;
pub use write_strategy::WriteStrategy;
