//! A JSON client for REST APIs, with retries.

use crate::backoff::jittered;
use crate::exchange_deadline::{ExchangeDeadline, Halt};
use crate::git_error::GitError;
use crate::limits::MAX_REASON;
use crate::remote::http::HttpClient;
use crate::remote::peer_stream::{AnswerHead, PeerStream};
use crate::remote::remote_url::Provider;
use crate::remote::request_body::RequestBody;
use crate::remote::timed_http::{self, TimedHttp};
use crate::secret::Secret;
use serde_json::Value;
use std::io::Read;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::loopback::is_loopback;
use url::Url;

pub(super) use crate::remote::timed_http::Method;

const ATTEMPTS: usize = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Longest pause before a retry. If the server asks for more, the call fails.
const MAX_WAIT: Duration = Duration::from_secs(15);
/// Timeout of one attempt, and maximum size of an answer. A pull request has about ten kilobytes.
const ATTEMPT_TIMEOUT: Duration = Duration::from_secs(30);
const MAX_BYTES: u64 = 1 << 20;

pub(super) struct RestClient {
    http: TimedHttp,
    base: String,
    headers: Vec<(&'static str, String)>,
    token: Option<Secret>,
    halt: Halt,
    /// For one call with all attempts.
    time: Duration,
}

/// A permanent refusal of a request.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) reason: String,
}

impl RestClient {
    pub(super) fn new(
        base: &str,
        provider: Provider,
        token: Option<Secret>,
        http: &Arc<dyn HttpClient>,
        halt: Halt,
        time: Duration,
    ) -> Result<Self, GitError> {
        let bad = |reason| GitError::BadRemote { reason };
        let url = Url::parse(base).map_err(|_| bad("git.apiBaseUrl is not a URL; use https://host/path"))?;
        if token.is_some() && url.scheme() != "https" && !is_loopback(&url) {
            return Err(bad("a token is not sent over http://; use https:// in git.apiBaseUrl"));
        }
        let mut headers = vec![("accept", "application/json".to_owned())];
        if let Some(token) = &token {
            headers.push(match provider {
                Provider::GitLab => ("private-token", token.expose().to_owned()),
                Provider::Plain | Provider::GitHub | Provider::Bitbucket => {
                    ("authorization", format!("Bearer {}", token.expose()))
                }
            });
        }
        Ok(Self { http: TimedHttp::new(http), base: base.trim_end_matches('/').to_owned(), headers, token, halt, time })
    }

    /// Sends a request and returns the JSON of the answer. The inner error is a refusal of the request.
    pub(super) fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Result<Value, Refusal>, GitError> {
        let mut pause = FIRST_PAUSE;
        let mut attempt = 1;
        let deadline = Instant::now() + self.time;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let failure = match self.send(method, path, body, left.min(ATTEMPT_TIMEOUT)) {
                Ok((head, answer)) => match self.classify(&head, answer)? {
                    Classified::Final(answer) => return Ok(answer),
                    Classified::Later { failure, after } => {
                        pause = after.unwrap_or(pause);
                        failure
                    }
                },
                Err(error) if error.is_transient() => error,
                Err(error) => return Err(error),
            };
            let is_over = deadline.saturating_duration_since(Instant::now()) <= pause;
            if attempt == ATTEMPTS || pause > MAX_WAIT || is_over {
                return Err(failure);
            }
            ExchangeDeadline::new(MAX_WAIT * 2, &self.halt).sleep(jittered(pause).max(pause / 2))?;
            pause *= 2;
            attempt += 1;
        }
    }

    /// Redirects are not followed: the token is for this address only.
    fn send(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
        time: Duration,
    ) -> Result<(AnswerHead, PeerStream), GitError> {
        let url = format!("{}{path}", self.base);
        let request = body.map(|body| RequestBody { start: body.to_string().into_bytes(), pack: None });
        let mut headers = self.headers.clone();
        headers.extend(request.iter().map(|_| ("content-type", "application/json".to_owned())));
        let (head, answer) =
            self.http.send(method, &url, &headers, request, &ExchangeDeadline::new(time, &self.halt))?;
        match timed_http::redirection(&head, &url) {
            Some(next) => Err(timed_http::redirected(&next, "git.apiBaseUrl")),
            None => Ok((head, answer)),
        }
    }

    fn classify(&self, head: &AnswerHead, answer: PeerStream) -> Result<Classified, GitError> {
        let status = head.status;
        let is_limit = status == 429 || (status == 403 && head.is_rate_limited);
        if is_limit || status >= 500 {
            let failure = GitError::Unreachable { reason: format!("its API answered with status {status}") };
            let after = head.retry_after.as_deref().and_then(|seconds| seconds.parse().ok());
            return Ok(Classified::Later { failure, after: after.map(Duration::from_secs) });
        }
        let mut text = Vec::new();
        answer.take(MAX_BYTES + 1).read_to_end(&mut text).map_err(GitError::from_stream)?;
        if text.len() as u64 > MAX_BYTES {
            return Err(GitError::protocol("the answer of its API is too large; check git.apiBaseUrl"));
        }
        match status {
            200..=299 => {
                let value = serde_json::from_slice(&text)
                    .map_err(|_| GitError::protocol("the answer of its API is not valid JSON"))?;
                Ok(Classified::Final(Ok(value)))
            }
            401 | 403 => Err(GitError::Unauthorized),
            _ => Ok(Classified::Final(Err(Refusal { status, reason: self.reason(&text) }))),
        }
    }

    /// The server's reason for a refusal, truncated and without the token.
    fn reason(&self, text: &[u8]) -> String {
        let value: Value = serde_json::from_slice(text).unwrap_or_default();
        let message = ["/errors/0/message", "/error/message", "/message/0", "/message", "/error"]
            .iter()
            .find_map(|pointer| value.pointer(pointer).and_then(Value::as_str))
            .unwrap_or("no reason given");
        let message: String = message.chars().filter(|c| !c.is_control()).collect();
        // Truncated last: a truncated token would not be masked.
        let message = self.token.as_ref().map_or(message.clone(), |token| token.scrub(&message));
        message.chars().take(MAX_REASON).collect()
    }
}

enum Classified {
    Final(Result<Value, Refusal>),
    Later { failure: GitError, after: Option<Duration> },
}

impl Refusal {
    pub(super) fn into_error(self, action: &str) -> GitError {
        let Self { status, reason } = self;
        match status {
            404 => GitError::RemoteMissing,
            _ => GitError::Refused { reason: format!("it did not {action} (status {status}): {reason}") },
        }
    }
}
