//! A blocking HTTP client with streamed bodies and timeouts, for requests of the application.
//!
//! Redirects are not followed and bodies not decompressed. The reader of an answer sets the pace: at most
//! `MAX_BUFFERED_PARTS` chunks are read ahead.

use super::exchange_failure::ExchangeFailure;
use super::system_dns::SystemDns;
use super::upload_body::{UploadBody, UploadSource, upload};
use crate::net_error::NetError;
use crate::net_thread::NetThread;
use crate::no_proxy::NoProxyHosts;
use crate::route::{Route, direct_client};
use crate::try_once_lock::TryOnceLock;
use bytes::Bytes;
use reqwest::header::{CONTENT_LENGTH, HeaderMap};
use reqwest::{Body, Client, ClientBuilder, Method, RequestBuilder};
use rustls::ClientConfig;
use std::io::{self, Read};
use std::sync::OnceLock;
use std::time::Duration;
use tgp_base::loopback::is_loopback;
use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::task::AbortHandle;
use tokio::time::timeout;
use url::Url;

/// For the whole connection: DNS lookup, handshakes and proxy.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long an idle connection is kept. Shorter than on servers, so that no request uses a connection that is being closed.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3);
/// Parts of an answer that are read ahead.
const MAX_BUFFERED_PARTS: usize = 2;

/// One request. Headers are sent unchanged.
pub struct ExchangeRequest {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    /// The body and its length in bytes.
    pub body: Option<(Box<dyn Read + Send>, u64)>,
    /// From the DNS lookup to the last byte of the answer.
    pub total_timeout: Duration,
    /// Longest time without data once the answer has begun.
    pub read_idle_timeout: Duration,
    /// Longest time in which the server accepts no data of the body.
    pub write_idle_timeout: Duration,
}

/// The HTTP client. Its thread and its TLS settings are created by the first request.
pub struct Exchanges {
    route: Route,
    user_agent: &'static str,
    tls: TryOnceLock<ClientConfig>,
    /// Uses the proxy of the route.
    routed: TryOnceLock<Client>,
    /// Connects directly, for loopback and `NO_PROXY` hosts.
    direct: TryOnceLock<Client>,
    no_proxy_hosts: OnceLock<NoProxyHosts>,
    thread: TryOnceLock<NetThread>,
}

/// A running request.
pub struct Exchange {
    task: AbortHandle,
    parts: Receiver<Result<AnswerPart, ExchangeFailure>>,
}

/// Status and headers of an answer, and its body as a stream.
pub struct ExchangeAnswer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: ExchangeReader,
}

enum AnswerPart {
    Head(u16, HeaderMap),
    Chunk(Bytes),
    End,
}

impl Exchanges {
    #[must_use]
    pub const fn new(route: Route, user_agent: &'static str) -> Self {
        Self {
            route,
            user_agent,
            tls: TryOnceLock::new(),
            routed: TryOnceLock::new(),
            direct: TryOnceLock::new(),
            no_proxy_hosts: OnceLock::new(),
            thread: TryOnceLock::new(),
        }
    }

    /// Starts a request without blocking.
    ///
    /// # Errors
    /// `NoRuntime`, `NoTrust`, `Other` for an invalid request.
    pub fn start(&self, request: ExchangeRequest) -> Result<Exchange, ExchangeFailure> {
        let url = Url::parse(&request.url).map_err(|_| ExchangeFailure::Other)?;
        let client = self.client_for(&url).map_err(|error| ExchangeFailure::from_client(&error))?;
        let thread = self.thread.get_or_try_init(|| NetThread::start("tgp-git-net"));
        let thread = thread.map_err(|error| ExchangeFailure::from_client(&error))?;
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| ExchangeFailure::Other)?;
        let mut builder = client.request(method, url);
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let (sender, parts) = mpsc::channel(MAX_BUFFERED_PARTS);
        let ExchangeRequest { body, total_timeout, read_idle_timeout, write_idle_timeout, .. } = request;
        let (builder, source) = with_body(builder, body);
        let exchange = async move {
            let work = async {
                tokio::select! {
                    end = run_exchange(builder, &sender, read_idle_timeout) => end,
                    failure = upload(source, write_idle_timeout) => Err(failure),
                }
            };
            let end = timeout(total_timeout, work).await.unwrap_or(Err(ExchangeFailure::TimedOut));
            // Fails if the reader was dropped.
            let _ = sender.send(end.map(|()| AnswerPart::End)).await;
        };
        Ok(Exchange { task: thread.runtime.spawn(exchange).abort_handle(), parts })
    }

    /// See [`Route::proxy_description`].
    #[must_use]
    pub fn proxy_description(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        let is_direct = self.no_proxy_hosts.get_or_init(|| self.route.no_proxy_hosts()).contains(&url);
        if is_direct { None } else { self.route.proxy_description(&url) }
    }

    fn client_for(&self, url: &Url) -> Result<&Client, NetError> {
        let tls = || self.tls.get_or_try_init(|| self.route.tls()).cloned();
        if is_loopback(url) || self.no_proxy_hosts.get_or_init(|| self.route.no_proxy_hosts()).contains(url) {
            self.direct.get_or_try_init(|| self.finish(direct_client(tls()?)))
        } else {
            self.routed.get_or_try_init(|| self.finish(self.route.client(tls()?)))
        }
    }

    fn finish(&self, builder: ClientBuilder) -> Result<Client, NetError> {
        let builder = builder.connect_timeout(CONNECT_TIMEOUT).pool_idle_timeout(IDLE_TIMEOUT);
        let builder = builder.user_agent(self.user_agent).dns_resolver(SystemDns);
        builder.no_gzip().no_brotli().no_deflate().build().map_err(|_| NetError::NoRuntime)
    }
}

fn with_body(
    builder: RequestBuilder,
    body: Option<(Box<dyn Read + Send>, u64)>,
) -> (RequestBuilder, Option<UploadSource>) {
    let Some((reader, length)) = body else { return (builder, None) };
    let (body, source) = UploadBody::new(reader, length);
    (builder.header(CONTENT_LENGTH, length).body(Body::wrap(body)), Some(source))
}

/// Sends the request and forwards the parts of the answer.
async fn run_exchange(
    builder: RequestBuilder,
    parts: &Sender<Result<AnswerPart, ExchangeFailure>>,
    silence: Duration,
) -> Result<(), ExchangeFailure> {
    let mut response = builder.send().await.map_err(|error| ExchangeFailure::from_request(&error))?;
    let head = AnswerPart::Head(response.status().as_u16(), std::mem::take(response.headers_mut()));
    let mut has_reader = parts.send(Ok(head)).await.is_ok();
    while has_reader {
        let chunk = timeout(silence, response.chunk()).await.map_err(|_| ExchangeFailure::TimedOut)?;
        match chunk.map_err(|error| ExchangeFailure::from_request(&error))? {
            Some(chunk) => has_reader = parts.send(Ok(AnswerPart::Chunk(chunk))).await.is_ok(),
            None => break,
        }
    }
    Ok(())
}

impl Exchange {
    /// A callback that cancels the request from any thread.
    pub fn canceller(&self) -> impl FnOnce() + Send + 'static {
        let task = self.task.clone();
        move || task.abort()
    }

    /// Blocks until the headers of the answer have arrived.
    ///
    /// # Errors
    /// The failure of the request; `Broken` when it was cancelled.
    pub fn answer(mut self) -> Result<ExchangeAnswer, ExchangeFailure> {
        match self.parts.blocking_recv() {
            Some(Ok(AnswerPart::Head(status, headers))) => {
                let body = ExchangeReader { parts: self.parts, chunk: Bytes::new(), is_over: false };
                Ok(ExchangeAnswer { status, headers, body })
            }
            Some(Err(failure)) => Err(failure),
            Some(Ok(AnswerPart::Chunk(_) | AnswerPart::End)) | None => Err(ExchangeFailure::Broken),
        }
    }
}

/// The body of an answer. Read errors contain an [`ExchangeFailure`].
pub struct ExchangeReader {
    parts: Receiver<Result<AnswerPart, ExchangeFailure>>,
    chunk: Bytes,
    is_over: bool,
}

impl Read for ExchangeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() && !self.is_over {
            match self.parts.blocking_recv() {
                Some(Ok(AnswerPart::Chunk(chunk))) => self.chunk = chunk,
                Some(Ok(AnswerPart::End)) => self.is_over = true,
                Some(Err(failure)) => return Err(io::Error::other(failure)),
                Some(Ok(AnswerPart::Head(..))) | None => return Err(io::Error::other(ExchangeFailure::Broken)),
            }
        }
        let count = self.chunk.len().min(buffer.len());
        let part = self.chunk.split_to(count);
        part.as_ref().read(buffer)
    }
}
