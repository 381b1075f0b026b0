//! The protocol over HTTP: a GET for what the server says first, a POST for the request.

use super::connection::{Connection, Conversation, Service};
use crate::git::credentials::Credentials;
use crate::git::git_error::GitError;
use crate::git::http_client::{self, HttpClient};
use std::io::Read;
use ureq::ResponseExt;

pub(crate) struct HttpConnection {
    /// Without a slash at the end.
    base: String,
    client: HttpClient,
    credentials: Option<Credentials>,
}

struct HttpConversation {
    service: Service,
    /// Where the greeting came from in the end: a moved repository is written to at its new place.
    base: String,
    client: HttpClient,
    authorization: Option<String>,
    greeting: Box<dyn Read>,
}

impl HttpConnection {
    pub(crate) fn new(url: &str, credentials: Option<Credentials>) -> Self {
        Self { base: url.trim_end_matches('/').to_owned(), client: HttpClient::new(), credentials }
    }
}

impl Connection for HttpConnection {
    fn open(&self, service: Service) -> Result<Box<dyn Conversation>, GitError> {
        let authorization = self.credentials.as_ref().map(Credentials::basic);
        let path = format!("/info/refs?service={}", service.name());
        let mut request = self.client.agent().get(format!("{}{path}", self.base));
        if let Some(value) = &authorization {
            request = request.header("authorization", value);
        }
        let response = request.call().map_err(|error| http_client::unreachable(&error))?;
        http_client::check_status(response.status().as_u16())?;
        let kind = response.headers().get("content-type").and_then(|value| value.to_str().ok()).unwrap_or_default();
        if kind != format!("application/x-{}-advertisement", service.name()) {
            return Err(GitError::protocol("its address does not lead to a Git repository"));
        }
        let final_url = response.get_uri().to_string();
        let base = final_url.strip_suffix(path.as_str()).unwrap_or(&self.base).to_owned();
        // A redirect to another host must not get the token.
        let authorization = authorization.filter(|_| http_client::same_origin(&base, &self.base));
        let greeting = Box::new(response.into_body().into_reader());
        Ok(Box::new(HttpConversation { service, base, client: self.client.clone(), authorization, greeting }))
    }
}

impl Conversation for HttpConversation {
    fn greeting(&mut self) -> &mut dyn Read {
        &mut *self.greeting
    }

    fn ask(self: Box<Self>, request: Vec<u8>) -> Result<Box<dyn Read>, GitError> {
        let name = self.service.name();
        let mut post = self
            .client
            .agent()
            .post(format!("{}/{name}", self.base))
            .header("content-type", format!("application/x-{name}-request"))
            .header("accept", format!("application/x-{name}-result"));
        if let Some(value) = &self.authorization {
            post = post.header("authorization", value);
        }
        let response = post.send(request.as_slice()).map_err(|error| http_client::unreachable(&error))?;
        http_client::check_status(response.status().as_u16())?;
        Ok(Box::new(response.into_body().into_reader()))
    }

    fn leave(self: Box<Self>) {}
}
