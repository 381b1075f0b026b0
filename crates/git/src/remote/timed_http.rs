//! HTTP requests with an exchange deadline, for Git servers and their APIs. Redirects are returned to the caller.

use super::http::{HttpAnswer, HttpClient, HttpExchange, HttpRequest};
use super::peer_stream::{AnswerHead, PeerSender, PeerStream};
use super::request_body::{Progress, RequestBody};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::IDLE_TIMEOUT;
use parking_lot::Mutex;
use std::io::Read;
use std::sync::Arc;
use std::time::Duration;
use url::Url;

/// Extra time of the client, so that the exchange deadline expires first and determines the error.
const GRACE: Duration = Duration::from_secs(1);
/// Longest origin in a message.
const MAX_ORIGIN: usize = 200;

/// An HTTP client with deadlines. Clones share it.
#[derive(Clone)]
pub(crate) struct TimedHttp(Arc<dyn HttpClient>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Method {
    Get,
    Post,
    Put,
    Patch,
}

impl Method {
    const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
        }
    }
}

impl TimedHttp {
    pub(crate) fn new(client: &Arc<dyn HttpClient>) -> Self {
        Self(Arc::clone(client))
    }

    /// Sends a request and returns the head of the answer with the stream of its body.
    pub(crate) fn send(
        &self,
        method: Method,
        url: &str,
        headers: &[(&'static str, String)],
        body: Option<RequestBody>,
        deadline: &ExchangeDeadline,
    ) -> Result<(AnswerHead, PeerStream), GitError> {
        let (total_timeout, read_idle_timeout) = (deadline.remaining()? + GRACE, deadline.idle_timeout());
        let (headers, url) = (headers.to_vec(), url.to_owned());
        let client = Arc::clone(&self.0);
        let cancellation = CancelHandle::default();
        let started = cancellation.clone();
        let job = move |post: &PeerSender| {
            let body = body.map(|body| {
                let length = body.length();
                let reader = Progress { stream: body.into_reader(), post: post.clone() };
                (Box::new(reader) as Box<dyn Read + Send>, length)
            });
            let method = method.name();
            let request = HttpRequest {
                method,
                url,
                headers,
                body,
                total_timeout,
                read_idle_timeout,
                write_idle_timeout: IDLE_TIMEOUT,
            };
            let HttpExchange { cancel, answer } = client.start(request).map_err(unreachable)?;
            started.started(cancel);
            let answer = answer().map_err(unreachable)?;
            let head = head_of(&answer);
            let mut body = answer.body;
            if post.head(head).is_ok() {
                post.pump(&mut *body).map_err(|error| unreachable(error.to_string()))?;
            }
            Ok(())
        };
        PeerStream::send(deadline, move || cancellation.cancel(), job)
    }
}

fn head_of(answer: &HttpAnswer) -> AnswerHead {
    let text = |name| answer.header(name).map(ToOwned::to_owned);
    AnswerHead {
        status: answer.status,
        content_type: text("content-type").unwrap_or_default(),
        location: text("location"),
        is_rate_limited: answer.header("retry-after").is_some() || answer.header("x-ratelimit-remaining") == Some("0"),
        retry_after: text("retry-after"),
        input: None,
    }
}

const fn unreachable(reason: String) -> GitError {
    GitError::Unreachable { reason }
}

/// An error for a status other than success.
pub(crate) fn check_status(status: u16) -> Result<(), GitError> {
    match status {
        200..=299 => Ok(()),
        401 | 403 => Err(GitError::Unauthorized),
        404 => Err(GitError::RemoteMissing),
        429 | 500..=599 => Err(GitError::Unreachable { reason: format!("it answered with status {status}") }),
        _ => Err(GitError::Refused { reason: format!("it answered with status {status}") }),
    }
}

/// The target of a redirect, if any.
pub(crate) fn redirection(head: &AnswerHead, from: &str) -> Option<Url> {
    let location = head.location.as_deref().filter(|_| matches!(head.status, 301 | 302 | 303 | 307 | 308))?;
    Url::parse(from).ok()?.join(location).ok()
}

/// The error for a redirect that is not followed. Shows only scheme, host and port.
pub(crate) fn redirected(to: &Url, key: &'static str) -> GitError {
    GitError::Redirected { origin: to.origin().ascii_serialization().chars().take(MAX_ORIGIN).collect(), key }
}

type Cancel = Box<dyn FnOnce() + Send>;

/// A handle to cancel an operation. Clones share the state.
#[derive(Clone, Default)]
pub(super) struct CancelHandle(Arc<Mutex<CancelState>>);

#[derive(Default)]
enum CancelState {
    #[default]
    NotStarted,
    Started(Cancel),
    Cancelled,
}

impl CancelHandle {
    /// Registers the cancel callback of a started operation; calls it at once if it was cancelled before.
    pub(super) fn started(&self, cancel: Cancel) {
        let mut state = self.0.lock();
        if matches!(*state, CancelState::Cancelled) {
            drop(state);
            cancel();
        } else {
            *state = CancelState::Started(cancel);
        }
    }

    /// Cancels the operation now, or as soon as it starts.
    pub(super) fn cancel(&self) {
        let state = std::mem::replace(&mut *self.0.lock(), CancelState::Cancelled);
        if let CancelState::Started(cancel) = state {
            cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CancelHandle;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_callback_runs_once_in_either_order() {
        for is_early in [true, false] {
            let ended = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&ended);
            let one = CancelHandle::default();
            let other = one.clone();
            let end = move || {
                count.fetch_add(1, Ordering::Relaxed);
            };
            let begin = move || one.started(Box::new(end));
            if is_early {
                other.cancel();
                begin();
            } else {
                begin();
                other.cancel();
            }
            other.cancel();
            assert_eq!(ended.load(Ordering::Relaxed), 1, "{is_early}");
        }
    }
}
