//! Requests of the application itself, for callers that wait: sent and answered as streams, each with its time.
//!
//! Nothing is followed, unpacked or held back here. How much of an answer is read is up to whoever reads it: the server is
//! not listened to any faster.

use super::exchange_failure::ExchangeFailure;
use super::plain_dns::PlainDns;
use super::upload_body::{Source, UploadBody, upload};
use crate::direct_hosts::DirectHosts;
use crate::made_once::MadeOnce;
use crate::net_error::NetError;
use crate::net_thread::NetThread;
use crate::route::{Route, direct_client};
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

/// A connection must be there after this time: name, handshakes and proxy included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a connection is kept for the next request: less than servers keep one, or a request could meet its end.
const IDLE_TIMEOUT: Duration = Duration::from_secs(3);
/// Pieces of an answer that wait to be read.
const WAITING: usize = 2;

/// One request. Its headers are sent as they are.
pub struct ExchangeRequest {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    /// What is sent, and how long it is.
    pub body: Option<(Box<dyn Read + Send>, u64)>,
    /// For all of it, from the first lookup to the last byte.
    pub time: Duration,
    /// How long nothing may come once the answer has begun.
    pub read_silence: Duration,
    /// How long the server may take nothing of the body.
    pub write_silence: Duration,
}

/// The client; its connections and its thread begin with the first request.
pub struct Exchanges {
    route: Route,
    user_agent: &'static str,
    tls: MadeOnce<ClientConfig>,
    /// Takes the route, with its proxy.
    routed: MadeOnce<Client>,
    /// Goes to its host itself: what is told this machine alone, no proxy hears.
    direct: MadeOnce<Client>,
    direct_hosts: OnceLock<DirectHosts>,
    thread: MadeOnce<NetThread>,
}

/// A request under way.
pub struct Exchange {
    task: AbortHandle,
    parts: Receiver<Result<Part, ExchangeFailure>>,
}

/// The start of an answer, and its body as it comes in.
pub struct ExchangeAnswer {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: ExchangeReader,
}

enum Part {
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
            tls: MadeOnce::new(),
            routed: MadeOnce::new(),
            direct: MadeOnce::new(),
            direct_hosts: OnceLock::new(),
            thread: MadeOnce::new(),
        }
    }

    /// Begins a request. Does not wait.
    ///
    /// # Errors
    /// `NoRuntime`, `NoTrust`, `Other` for a request that cannot be sent at all.
    pub fn start(&self, request: ExchangeRequest) -> Result<Exchange, ExchangeFailure> {
        let url = Url::parse(&request.url).map_err(|_| ExchangeFailure::Other)?;
        let client = self.client_for(&url).map_err(|error| ExchangeFailure::of_client(&error))?;
        let thread = self.thread.get(|| NetThread::start("tgp-git-net"));
        let thread = thread.map_err(|error| ExchangeFailure::of_client(&error))?;
        let method = Method::from_bytes(request.method.as_bytes()).map_err(|_| ExchangeFailure::Other)?;
        let mut builder = client.request(method, url);
        for (name, value) in &request.headers {
            builder = builder.header(*name, value);
        }
        let (sender, parts) = mpsc::channel(WAITING);
        let ExchangeRequest { body, time, read_silence, write_silence, .. } = request;
        let (builder, source) = with_body(builder, body);
        let exchange = async move {
            let work = async {
                tokio::select! {
                    end = converse(builder, &sender, read_silence) => end,
                    failure = upload(source, write_silence) => Err(failure),
                }
            };
            let end = timeout(time, work).await.unwrap_or(Err(ExchangeFailure::TimedOut));
            // Whoever waits hears how it ended; if nobody does, nobody has to.
            let _ = sender.send(end.map(|()| Part::End)).await;
        };
        Ok(Exchange { task: thread.runtime.spawn(exchange).abort_handle(), parts })
    }

    /// As [`Route::carrier_of`].
    #[must_use]
    pub fn carrier_of(&self, url: &str) -> Option<String> {
        let url = Url::parse(url).ok()?;
        let is_direct = self.direct_hosts.get_or_init(|| self.route.direct_hosts()).contains(&url);
        if is_direct { None } else { self.route.carrier_of(&url) }
    }

    fn client_for(&self, url: &Url) -> Result<&Client, NetError> {
        let tls = || self.tls.get(|| self.route.tls()).cloned();
        if is_loopback(url) || self.direct_hosts.get_or_init(|| self.route.direct_hosts()).contains(url) {
            self.direct.get(|| self.finish(direct_client(tls()?)))
        } else {
            self.routed.get(|| self.finish(self.route.client(tls()?)))
        }
    }

    fn finish(&self, builder: ClientBuilder) -> Result<Client, NetError> {
        let builder = builder.connect_timeout(CONNECT_TIMEOUT).pool_idle_timeout(IDLE_TIMEOUT);
        let builder = builder.user_agent(self.user_agent).dns_resolver(PlainDns);
        builder.no_gzip().no_brotli().no_deflate().build().map_err(|_| NetError::NoRuntime)
    }
}

fn with_body(builder: RequestBuilder, body: Option<(Box<dyn Read + Send>, u64)>) -> (RequestBuilder, Option<Source>) {
    let Some((reader, length)) = body else { return (builder, None) };
    let (body, source) = UploadBody::new(reader, length);
    (builder.header(CONTENT_LENGTH, length).body(Body::wrap(body)), Some(source))
}

/// Sends the request and hands on the answer.
async fn converse(
    builder: RequestBuilder,
    parts: &Sender<Result<Part, ExchangeFailure>>,
    silence: Duration,
) -> Result<(), ExchangeFailure> {
    let mut response = builder.send().await.map_err(|error| ExchangeFailure::of(&error))?;
    let head = Part::Head(response.status().as_u16(), std::mem::take(response.headers_mut()));
    let mut is_heard = parts.send(Ok(head)).await.is_ok();
    while is_heard {
        let chunk = timeout(silence, response.chunk()).await.map_err(|_| ExchangeFailure::TimedOut)?;
        match chunk.map_err(|error| ExchangeFailure::of(&error))? {
            Some(chunk) => is_heard = parts.send(Ok(Part::Chunk(chunk))).await.is_ok(),
            None => break,
        }
    }
    Ok(())
}

impl Exchange {
    /// What ends it, whoever waits for it.
    pub fn canceller(&self) -> impl FnOnce() + Send + 'static {
        let task = self.task.clone();
        move || task.abort()
    }

    /// Waits for the start of the answer.
    ///
    /// # Errors
    /// Whatever kept the server from answering; `Broken` when it was cancelled.
    pub fn answer(mut self) -> Result<ExchangeAnswer, ExchangeFailure> {
        match self.parts.blocking_recv() {
            Some(Ok(Part::Head(status, headers))) => {
                let body = ExchangeReader { parts: self.parts, chunk: Bytes::new(), is_over: false };
                Ok(ExchangeAnswer { status, headers, body })
            }
            Some(Err(failure)) => Err(failure),
            Some(Ok(Part::Chunk(_) | Part::End)) | None => Err(ExchangeFailure::Broken),
        }
    }
}

/// The body of an answer. A failure comes as an error that holds an [`ExchangeFailure`].
pub struct ExchangeReader {
    parts: Receiver<Result<Part, ExchangeFailure>>,
    chunk: Bytes,
    is_over: bool,
}

impl Read for ExchangeReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while self.chunk.is_empty() && !self.is_over {
            match self.parts.blocking_recv() {
                Some(Ok(Part::Chunk(chunk))) => self.chunk = chunk,
                Some(Ok(Part::End)) => self.is_over = true,
                Some(Err(failure)) => return Err(io::Error::other(failure)),
                Some(Ok(Part::Head(..))) | None => return Err(io::Error::other(ExchangeFailure::Broken)),
            }
        }
        let count = self.chunk.len().min(buffer.len());
        let part = self.chunk.split_to(count);
        part.as_ref().read(buffer)
    }
}
