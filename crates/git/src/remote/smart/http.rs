//! The smart protocol over HTTP: a GET for the advertisement, a POST for the request.
//!
//! Only a redirect of the GET to the same scheme, host and port is followed, as after a rename of the repository. Nothing is
//! sent to another origin.

use super::connection::{Connection, Conversation, Service};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::remote::credentials::Credentials;
use crate::remote::http::HttpClient;
use crate::remote::peer_stream::PeerStream;
use crate::remote::request_body::RequestBody;
use crate::remote::timed_http::{self, Method, TimedHttp};
use std::io::Read;
use std::sync::Arc;
use url::Url;

const MAX_REDIRECTS: usize = 5;
const KEY: &str = "git.repo";

pub(crate) struct HttpConnection {
    /// Without a slash at the end.
    base: String,
    client: TimedHttp,
    credentials: Option<Credentials>,
}

struct HttpConversation {
    service: Service,
    /// The address of the advertisement after redirects; requests are sent there.
    base: String,
    client: TimedHttp,
    headers: Vec<(&'static str, String)>,
    advertisement: PeerStream,
}

impl HttpConnection {
    pub(crate) fn new(url: &str, http: &Arc<dyn HttpClient>, credentials: Option<Credentials>) -> Self {
        Self { base: url.trim_end_matches('/').to_owned(), client: TimedHttp::new(http), credentials }
    }
}

impl Connection for HttpConnection {
    fn open(&self, service: Service, deadline: &ExchangeDeadline) -> Result<Box<dyn Conversation>, GitError> {
        let headers: Vec<_> =
            self.credentials.iter().map(|credentials| ("authorization", credentials.basic())).collect();
        let path = format!("/info/refs?service={}", service.name());
        let mut url = format!("{}{path}", self.base);
        for _ in 0..=MAX_REDIRECTS {
            let (head, advertisement) = self.client.send(Method::Get, &url, &headers, None, deadline)?;
            if let Some(next) = timed_http::redirection(&head, &url) {
                if !is_same_origin(&next, &self.base) {
                    return Err(timed_http::redirected(&next, KEY));
                }
                url = next.to_string();
                continue;
            }
            timed_http::check_status(head.status)?;
            if head.content_type != format!("application/x-{}-advertisement", service.name()) {
                return Err(GitError::protocol("its address does not lead to a Git repository"));
            }
            let base = url.strip_suffix(path.as_str()).unwrap_or(&self.base).to_owned();
            return Ok(Box::new(HttpConversation {
                service,
                base,
                client: self.client.clone(),
                headers,
                advertisement,
            }));
        }
        Err(GitError::Unreachable { reason: "it redirects too often".to_owned() })
    }

    fn scrub(&self, text: &str) -> String {
        self.credentials.as_ref().map_or_else(|| text.to_owned(), |credentials| credentials.scrub(text))
    }
}

impl Conversation for HttpConversation {
    fn advertisement(&mut self) -> &mut dyn Read {
        &mut self.advertisement
    }

    fn request(self: Box<Self>, request: RequestBody, deadline: &ExchangeDeadline) -> Result<Box<dyn Read>, GitError> {
        let name = self.service.name();
        let url = format!("{}/{name}", self.base);
        let mut headers = self.headers;
        headers.push(("content-type", format!("application/x-{name}-request")));
        headers.push(("accept", format!("application/x-{name}-result")));
        let (head, answer) = self.client.send(Method::Post, &url, &headers, Some(request), deadline)?;
        if let Some(next) = timed_http::redirection(&head, &url) {
            return Err(timed_http::redirected(&next, KEY));
        }
        timed_http::check_status(head.status)?;
        Ok(Box::new(answer))
    }

    fn close(self: Box<Self>) {}
}

fn is_same_origin(one: &Url, other: &str) -> bool {
    Url::parse(other).is_ok_and(|other| one.origin() == other.origin())
}
