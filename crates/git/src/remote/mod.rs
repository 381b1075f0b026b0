//! Remote repositories over paths, HTTP and SSH. All their data is untrusted.

pub(super) mod credentials;
pub(super) mod foreign;
pub(super) mod http;
pub(super) mod object_copy;
pub(super) mod outgoing;
pub(super) mod path_remote;
pub(super) mod peer_stream;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod remote;
pub(super) mod remote_options;
pub(super) mod remote_url;
pub(super) mod request_body;
pub(super) mod smart;
pub(super) mod timed_http;
