//! Git storage of tools: commits, history, remotes and pull requests.
//!
//! The files here are shared by all folders. Each folder uses only those named before it: `objects`, `branches`,
//! `work_tree`, `durability`, `store`, `remote`, `reader`, `pull_request`, `upstream`.

// Not used directly: its feature links zlib into libgit2.
use libz_sys as _;

mod backoff;
mod branches;
mod commit_id;
mod durability;
mod exchange_deadline;
mod file_change;
mod git_error;
mod limits;
mod objects;
mod path_file;
mod patience_diff;
mod pull_request;
mod reader;
mod regular_file;
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

pub use branches::backup_branch::FileBackup;
pub use commit_id::CommitId;
pub use durability::finish_write::IndexState;
pub use exchange_deadline::Halt;
pub use file_change::FileChange;
pub use git_error::GitError;
pub use limits::{Limit, Limits};
pub use pull_request::pull_request::{Describe, PullRequest, PullRequestState, PullRequestText};
pub use reader::changes::{ChangeKind, ChangedFile};
pub use reader::history_reader::{HistoryCommit, HistoryFile, HistoryReader, ObjectHash};
pub use remote::http::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
pub use remote::remote_options::RemoteOptions;
pub use remote::remote_url::{Provider, RemoteUrl};
pub use secret::{Secret, password_in, shown_address};
pub use store::access::is_read_only;
pub use store::commit::{Committed, CommittedContent};
pub use store::git_store::{GitStore, Writing};
pub use store::history::LogEntry;
pub use store::message_search::MessageSearch;
pub use store::uncommitted::FileState;
pub use store_options::{StoreOptions, WriteStrategy};
pub use text_diff::{DiffEffort, text_diff};
pub use upstream::hydrate::{Hydrated, LocalCommits};
pub use upstream::publisher::{Delivery, Published, Publisher, PushRequest};
pub use upstream::push_policy::PushPolicy;
pub use upstream::reachability::ReachabilityListener;
pub use upstream::setup::{Opened, ask, open};
pub use upstream::upstream::Upstream;
pub use work_tree::work_tree::WorkTree;
