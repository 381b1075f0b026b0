//! The repository that remembers every tool, and the remote that it is shared through.
//!
//! The files here are what all folders share. Of the folders, each uses only those named before it: `objects`, `branches`,
//! `work_tree`, `durability`, `store`, `remote`, `pull_request`, `upstream`.

// Not used by name: its feature links zlib into libgit2.
use libz_sys as _;

mod backoff;
mod branches;
mod commit_id;
mod durability;
mod file_change;
mod git_error;
mod git_link;
mod limits;
mod long_diff;
mod objects;
mod patience;
mod plain_file;
mod pull_request;
mod remote;
mod secret;
mod store;
mod store_options;
mod text_diff;
mod upstream;
mod work_tree;

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "git is the oracle")]
mod tests;

pub use commit_id::CommitId;
pub use durability::settle::IndexState;
pub use file_change::FileChange;
pub use git_error::GitError;
pub use limits::{Limit, Limits};
pub use patience::Halt;
pub use pull_request::pull_request::{Describe, PullRequest, PullRequestState, PullRequestText};
pub use remote::http::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
pub use remote::remote_options::RemoteOptions;
pub use remote::remote_url::{Provider, RemoteUrl};
pub use secret::{Secret, password_in, shown_address};
pub use store::access::is_read_only;
pub use store::commit::{Committed, Held};
pub use store::git_store::{GitStore, Writing};
pub use store::history::LogEntry;
pub use store::message_search::MessageSearch;
pub use store::uncommitted::FileState;
pub use store_options::{StoreOptions, WriteStrategy};
pub use text_diff::{DiffEffort, text_diff};
pub use upstream::hydrate::{Hydrated, LocalCommits};
pub use upstream::publisher::{Published, Publisher, Reach, Ticket};
pub use upstream::reachability::ReachListener;
pub use upstream::setup::{Opened, ask, open};
pub use upstream::sharing::Sharing;
pub use upstream::upstream::Upstream;
pub use work_tree::work_tree::WorkTree;
