//! HTTP with limits on time, for Git servers and their APIs.

use super::git_error::GitError;
use std::time::Duration;
use ureq::Agent;
use ureq::config::RedirectAuthHeaders;

const CONNECT: Duration = Duration::from_secs(10);
const ANSWER: Duration = Duration::from_secs(60);
const WHOLE_CALL: Duration = Duration::from_mins(5);
const MOST_REDIRECTS: u32 = 5;

/// A client that keeps its connections; clones share them.
#[derive(Debug, Clone)]
pub(super) struct HttpClient(Agent);

impl HttpClient {
    pub(super) fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_recv_response(Some(ANSWER))
            .timeout_global(Some(WHOLE_CALL))
            .max_redirects(MOST_REDIRECTS)
            .redirect_auth_headers(RedirectAuthHeaders::SameHost)
            .http_status_as_error(false)
            .user_agent(concat!("git/2.0 (tgp ", env!("CARGO_PKG_VERSION"), ")"))
            .build();
        Self(config.into())
    }

    pub(super) const fn agent(&self) -> &Agent {
        &self.0
    }
}

/// Why a call got no answer, in words that hold no address.
pub(super) fn unreachable(error: &ureq::Error) -> GitError {
    let reason = if let ureq::Error::Io(error) = error {
        format!("the connection failed: {}", error.kind())
    } else if matches!(error, ureq::Error::Timeout(_)) {
        "it did not answer in time".to_owned()
    } else if matches!(error, ureq::Error::HostNotFound) {
        "its host is not known".to_owned()
    } else if matches!(error, ureq::Error::TooManyRedirects) {
        "it redirects without end".to_owned()
    } else if matches!(error, ureq::Error::Tls(_) | ureq::Error::Rustls(_)) {
        "its certificate is not trusted".to_owned()
    } else {
        "the request failed".to_owned()
    };
    GitError::Unreachable { reason }
}

/// Refuses an answer that is no success.
pub(super) fn check_status(status: u16) -> Result<(), GitError> {
    match status {
        200..=299 => Ok(()),
        401 | 403 => Err(GitError::Unauthorized),
        404 => Err(GitError::RemoteMissing),
        429 | 500..=599 => Err(GitError::Unreachable { reason: format!("it answered with status {status}") }),
        _ => Err(GitError::Refused { reason: format!("it answered with status {status}") }),
    }
}

/// Whether both addresses have the same scheme, host and port.
pub(super) fn same_origin(one: &str, other: &str) -> bool {
    match (url::Url::parse(one), url::Url::parse(other)) {
        (Ok(one), Ok(other)) => one.origin() == other.origin(),
        _ => false,
    }
}
