//! Pull requests through the REST API of a Git host.

mod bitbucket;
pub(super) mod connect;
pub(super) mod forge_api;
mod github;
mod gitlab;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod pull_request;
pub(super) mod rest_client;
