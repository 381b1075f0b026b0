//! JSON over HTTP, patient with servers that are busy.

use crate::git::git_error::GitError;
use crate::git::http_client::{self, HttpClient};
use crate::git::remote_url::{Provider, is_loopback};
use crate::git::secret::Secret;
use crate::git::upstream::jittered;
use serde_json::Value;
use std::time::Duration;
use ureq::http::{Response, header::HeaderMap};
use url::Url;

const ATTEMPTS: usize = 4;
const FIRST_PAUSE: Duration = Duration::from_millis(250);
/// Whoever wants us to wait longer is asked again another time.
const LONGEST_WAIT: Duration = Duration::from_secs(15);
const MOST_BYTES: u64 = 4 << 20;
const LONGEST_REASON: usize = 300;

pub(super) struct RestClient {
    http: HttpClient,
    base: String,
    headers: Vec<(&'static str, String)>,
    token: Option<Secret>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Get,
    Post,
    Put,
    Patch,
}

/// An answer that is neither a success nor a passing trouble.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) reason: String,
}

impl RestClient {
    pub(super) fn new(base: &str, provider: Provider, token: Option<Secret>) -> Result<Self, GitError> {
        let bad = |reason| GitError::BadRemote { reason };
        let url = Url::parse(base).map_err(|_| bad("git.apiBaseUrl is no address"))?;
        if token.is_some() && url.scheme() != "https" && !is_loopback(&url) {
            return Err(bad("a token is not sent over http://; make git.apiBaseUrl an https:// address"));
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
        Ok(Self { http: HttpClient::new(), base: base.trim_end_matches('/').to_owned(), headers, token })
    }

    /// The answer's JSON. A refusal of the request itself is the inner error.
    pub(super) fn call(
        &self,
        method: Method,
        path: &str,
        body: Option<&Value>,
    ) -> Result<Result<Value, Refusal>, GitError> {
        let mut pause = FIRST_PAUSE;
        let mut attempt = 1;
        loop {
            let trouble = match self.send(method, path, body) {
                Ok(response) => match self.judge(response)? {
                    Judged::Final(answer) => return Ok(answer),
                    Judged::Later { trouble, after } => {
                        pause = after.unwrap_or(pause);
                        trouble
                    }
                },
                Err(error) => http_client::unreachable(&error),
            };
            if attempt == ATTEMPTS || pause > LONGEST_WAIT {
                return Err(trouble);
            }
            std::thread::sleep(jittered(pause).max(pause / 2));
            pause *= 2;
            attempt += 1;
        }
    }

    fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Result<Response<ureq::Body>, ureq::Error> {
        let (agent, url) = (self.http.agent(), format!("{}{path}", self.base));
        let text = body.map(Value::to_string).unwrap_or_default();
        match method {
            Method::Get => {
                let request =
                    self.headers.iter().fold(agent.get(url), |request, (name, value)| request.header(*name, value));
                request.call()
            }
            Method::Post | Method::Put | Method::Patch => {
                let request = match method {
                    Method::Put => agent.put(url),
                    Method::Patch => agent.patch(url),
                    Method::Get | Method::Post => agent.post(url),
                };
                let request = self.headers.iter().fold(request, |request, (name, value)| request.header(*name, value));
                request.header("content-type", "application/json").send(text.as_str())
            }
        }
    }

    fn judge(&self, mut response: Response<ureq::Body>) -> Result<Judged, GitError> {
        let status = response.status().as_u16();
        let is_limit = status == 429 || (status == 403 && is_rate_limited(response.headers()));
        if is_limit || status >= 500 {
            let trouble = GitError::Unreachable { reason: format!("its API answered with status {status}") };
            return Ok(Judged::Later { trouble, after: retry_after(response.headers()) });
        }
        let text = response.body_mut().with_config().limit(MOST_BYTES).read_to_string();
        let text = text.map_err(|error| http_client::unreachable(&error))?;
        match status {
            200..=299 => {
                let value =
                    serde_json::from_str(&text).map_err(|_| GitError::protocol("its API did not answer in JSON"))?;
                Ok(Judged::Final(Ok(value)))
            }
            401 | 403 => Err(GitError::Unauthorized),
            _ => Ok(Judged::Final(Err(Refusal { status, reason: self.reason(&text) }))),
        }
    }

    /// What the server says about a refusal, short and without the token.
    fn reason(&self, text: &str) -> String {
        let value: Value = serde_json::from_str(text).unwrap_or_default();
        let message = ["/errors/0/message", "/error/message", "/message/0", "/message", "/error"]
            .iter()
            .find_map(|pointer| value.pointer(pointer).and_then(Value::as_str))
            .unwrap_or("it gave no reason");
        let message: String = message.chars().filter(|c| !c.is_control()).take(LONGEST_REASON).collect();
        self.token.as_ref().map_or(message.clone(), |token| token.scrub(&message))
    }
}

enum Judged {
    Final(Result<Value, Refusal>),
    Later { trouble: GitError, after: Option<Duration> },
}

impl Refusal {
    pub(super) fn into_error(self, action: &str) -> GitError {
        let Self { status, reason } = self;
        match status {
            404 => GitError::RemoteMissing,
            _ => GitError::Refused { reason: format!("it does not {action} (status {status}): {reason}") },
        }
    }
}

fn is_rate_limited(headers: &HeaderMap) -> bool {
    headers.contains_key("retry-after") || headers.get("x-ratelimit-remaining").is_some_and(|value| value == "0")
}

fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get("retry-after")?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}
