//! Synchronisation of the store with its remote: fetch, replay, push and pull requests.

pub(super) mod hydrate;
mod pace;
mod publish_tool;
pub(super) mod publisher;
mod push_branch;
pub(super) mod push_policy;
pub(super) mod reachability;
mod replay;
pub(super) mod setup;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod upstream;
mod warnings;
