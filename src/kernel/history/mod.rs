//! Version control: commits, the log, the remote, and texts of pull requests.

mod exchange;
mod git_remote;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod history;
mod pull_request_text;
mod records;
mod run_examples;
mod uncommitted;
mod workspace;
mod write_turn;
mod written;

pub use exchange::{Exchange, Incoming};
pub use git_remote::{GitHome, ProcessControl, ask_remote};
pub use history::{History, HistoryDeps, HistoryEntry};
pub use run_examples::RunExamples;
pub use write_turn::WriteTurn;
pub use written::{Persisted, PullRequestLink, WriteDone, Written};
