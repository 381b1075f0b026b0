//! HTTP with limits on time, for Git servers and their APIs. No redirect is followed here: whoever asks decides.

use super::peer_stream::{AnswerHead, PeerSender, PeerStream};
use crate::git::git_error::GitError;
use crate::git::limits::{CONNECT, IDLE};
use crate::git::patience::Patience;
use std::fs::File;
use std::io::{self, Cursor, Read};
use ureq::http::header::HeaderMap;
use ureq::{Agent, SendBody};
use url::Url;

/// A client that keeps its connections; clones share them.
#[derive(Debug, Clone)]
pub(in crate::git) struct HttpClient(Agent);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::git) enum Method {
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

/// What is sent: some bytes, and a file after them.
#[derive(Debug, Default)]
pub(in crate::git) struct Request {
    pub(in crate::git) start: Vec<u8>,
    pub(in crate::git) pack: Option<(File, u64)>,
}

impl Request {
    fn length(&self) -> u64 {
        self.start.len() as u64 + self.pack.as_ref().map_or(0, |(_, length)| *length)
    }

    pub(in crate::git) fn into_reader(self) -> impl Read + Send + 'static {
        let pack: Box<dyn Read + Send> = match self.pack {
            Some((file, length)) => Box::new(file.take(length)),
            None => Box::new(io::empty()),
        };
        Cursor::new(self.start).chain(pack)
    }
}

/// Tells the waiting side that the sending goes on.
pub(in crate::git) struct Progress<R> {
    pub(in crate::git) stream: R,
    pub(in crate::git) post: PeerSender,
}

impl<R: Read> Read for Progress<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.post.alive().map_err(|_| io::ErrorKind::BrokenPipe)?;
        self.stream.read(buffer)
    }
}

impl HttpClient {
    pub(in crate::git) fn new() -> Self {
        let config = Agent::config_builder()
            .timeout_connect(Some(CONNECT))
            .timeout_per_write(Some(IDLE))
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("git/2.0 (tgp ", env!("CARGO_PKG_VERSION"), ")"))
            .build();
        Self(config.into())
    }

    /// Asks, and returns the head of the answer with the stream of its body.
    pub(in crate::git) fn ask(
        &self,
        method: Method,
        url: &str,
        headers: &[(&'static str, String)],
        request: Option<Request>,
        patience: &Patience,
    ) -> Result<(AnswerHead, PeerStream), GitError> {
        let agent = self.0.clone();
        let (time, silence) = (patience.left()?, patience.silence());
        let mut builder = ureq::http::Request::builder().method(method.name()).uri(url);
        for (name, value) in headers {
            builder = builder.header(*name, value);
        }
        if let Some(request) = &request {
            builder = builder.header("content-length", request.length());
        }
        let job = move |post: &PeerSender| {
            let body = match request {
                Some(request) => {
                    SendBody::from_owned_reader(Progress { stream: request.into_reader(), post: post.clone() })
                }
                None => SendBody::none(),
            };
            let request = builder.body(body).map_err(|_| unreachable(&ureq::Error::BadUri(String::new())))?;
            let request = agent.configure_request(request);
            let request = request.timeout_global(Some(time)).timeout_per_read(Some(silence)).build();
            let response = agent.run(request).map_err(|error| unreachable(&error))?;
            let head = head_of(response.status().as_u16(), response.headers());
            if post.head(head).is_ok() {
                post.pump(&mut response.into_body().into_reader()).map_err(GitError::carried)?;
            }
            Ok(())
        };
        PeerStream::send(patience, || {}, job)
    }
}

fn head_of(status: u16, headers: &HeaderMap) -> AnswerHead {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(ToOwned::to_owned);
    AnswerHead {
        status,
        content_type: text("content-type").unwrap_or_default(),
        location: text("location"),
        is_rate_limited: headers.contains_key("retry-after")
            || headers.get("x-ratelimit-remaining").is_some_and(|value| value == "0"),
        retry_after: text("retry-after"),
        input: None,
    }
}

/// Why a call got no answer, in words that hold no address.
fn unreachable(error: &ureq::Error) -> GitError {
    let reason = if let ureq::Error::Io(error) = error {
        format!("the connection failed: {}", error.kind())
    } else if matches!(error, ureq::Error::Timeout(_)) {
        "it did not answer in time".to_owned()
    } else if matches!(error, ureq::Error::HostNotFound) {
        "its host is not known".to_owned()
    } else if matches!(error, ureq::Error::Tls(_) | ureq::Error::Rustls(_)) {
        "its certificate is not trusted".to_owned()
    } else {
        "the request failed".to_owned()
    };
    GitError::Unreachable { reason }
}

/// Refuses an answer that is no success.
pub(in crate::git) fn check_status(status: u16) -> Result<(), GitError> {
    match status {
        200..=299 => Ok(()),
        401 | 403 => Err(GitError::Unauthorized),
        404 => Err(GitError::RemoteMissing),
        429 | 500..=599 => Err(GitError::Unreachable { reason: format!("it answered with status {status}") }),
        _ => Err(GitError::Refused { reason: format!("it answered with status {status}") }),
    }
}

/// Where an answer sends us, if it does.
pub(in crate::git) fn redirection(head: &AnswerHead, from: &str) -> Option<Url> {
    let location = head.location.as_deref().filter(|_| matches!(head.status, 301 | 302 | 303 | 307 | 308))?;
    Url::parse(from).ok()?.join(location).ok()
}

/// That we do not go there. Scheme, host and port are all that is shown of it.
pub(in crate::git) fn redirected(to: &Url, key: &'static str) -> GitError {
    GitError::Redirected { origin: to.origin().ascii_serialization().chars().take(LONGEST_ORIGIN).collect(), key }
}

const LONGEST_ORIGIN: usize = 200;
