//! Sends requests, on a thread of its own that starts with the first one.

use super::allow_list::AllowList;
use super::checked_dns::CheckedDns;
use super::fetch_request::{Checked, FetchRequest, Redirects};
use super::fetch_response::{Arrival, FetchResponse};
use super::fetch_slots::{FetchSlots, Slot};
use super::net_error::{NetError, shown};
use crate::error::Error;
use crate::ids::RunId;
use crate::threads::{self, Panicked};
use reqwest::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, COOKIE, LOCATION,
};
use reqwest::{Client, Method, StatusCode};
use std::error::Error as StdError;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;
use tokio::runtime::{Builder, Handle};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use url::Url;

/// Redirects that one request may follow.
const MAX_REDIRECTS: usize = 10;
/// Threads for looking up names. A lookup goes on when nobody waits for it any more.
const MAX_LOOKUPS: usize = 64;
const USER_AGENT: &str = "tgp";

/// What one request may use.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Largest body, unpacked, in either direction.
    pub bytes: usize,
    /// From the first name lookup to the last byte, redirects included.
    pub time: Duration,
}

/// Takes a response, or why there is none. Called once, from any thread; dropped when the request is aborted.
pub type FetchDone = Box<dyn FnOnce(Result<FetchResponse, Error>) + Send>;

/// A request under way.
pub struct FetchTask(Option<AbortHandle>);

impl FetchTask {
    pub fn abort(&self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }

    pub fn is_over(&self) -> bool {
        self.0.as_ref().is_none_or(AbortHandle::is_finished)
    }
}

pub struct Fetcher {
    allowed: Arc<AllowList>,
    limits: FetchLimits,
    network: OnceLock<Option<Network>>,
}

/// The thread and the client. Dropping it ends both, and every request with them.
struct Network {
    client: Client,
    runtime: Handle,
    slots: Arc<FetchSlots>,
    _alive: oneshot::Sender<()>,
}

impl Fetcher {
    /// # Errors
    /// `BadEntry` for an entry that is no plain http or https URL.
    pub fn new(allowed: &[String], limits: FetchLimits) -> Result<Self, NetError> {
        Ok(Self { allowed: Arc::new(AllowList::parse(allowed)?), limits, network: OnceLock::new() })
    }

    /// Sends a request of a run below `root`, or of `root` itself. Whoever stops waiting for it aborts the task.
    pub fn fetch(&self, root: RunId, request: FetchRequest, done: FetchDone) -> FetchTask {
        let refused = |error: NetError, done: FetchDone| {
            done(Err(error.into()));
            FetchTask(None)
        };
        let checked = request.check(self.limits.bytes).and_then(|checked| {
            self.allowed.check(&checked.url)?;
            Ok(checked)
        });
        let checked = match checked {
            Ok(checked) => checked,
            Err(error) => return refused(error, done),
        };
        let Some(network) = self.network.get_or_init(|| Network::start(&self.allowed)) else {
            return refused(NetError::NoRuntime, done);
        };
        let FetchLimits { bytes, time } = self.limits;
        let first = checked.url.clone();
        let (client, allowed) = (network.client.clone(), Arc::clone(&self.allowed));
        let slots = Arc::clone(&network.slots);
        let exchange = contained(async move {
            let mut slot = slots.take(root).await;
            let answer = exchange(client, allowed, checked, bytes, &mut slot).await;
            // It is held until the answer is the guest's.
            (slot, answer)
        });
        let task = network.runtime.spawn(async move {
            match tokio::time::timeout(time, exchange).await {
                Ok(Ok((_slot, answer))) => done(answer.map_err(Into::into)),
                Ok(Err(Panicked)) => done(Err(Error::panicked())),
                Err(_) => done(Err(NetError::TimedOut { url: shown(&first), millis: time.as_millis() }.into())),
            }
        });
        FetchTask(Some(task.abort_handle()))
    }
}

impl Network {
    fn start(allowed: &AllowList) -> Option<Self> {
        let client = client(allowed)?;
        let runtime = Builder::new_current_thread().enable_all().max_blocking_threads(MAX_LOOKUPS).build().ok()?;
        let handle = runtime.handle().clone();
        let (alive, over) = oneshot::channel::<()>();
        threads::spawn("tgp-net", move || {
            // It ends when the sender is dropped, with an error that says just that.
            let _over = runtime.block_on(over);
            runtime.shutdown_background();
        })
        .ok()?;
        Some(Self { client, runtime: handle, slots: Arc::default(), _alive: alive })
    }
}

/// The value of a future, or that it panicked.
async fn contained<T>(future: impl Future<Output = T>) -> Result<T, Panicked> {
    let mut future = pin!(future);
    poll_fn(|context| match threads::contain(|| future.as_mut().poll(context)) {
        Ok(state) => state.map(Ok),
        Err(panicked) => Poll::Ready(Err(panicked)),
    })
    .await
}

/// A client that follows nothing and trusts nothing of its surroundings by itself.
fn client(allowed: &AllowList) -> Option<Client> {
    let roots = rustls::RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Client::builder()
        .tls_backend_preconfigured(tls)
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .referer(false)
        .user_agent(USER_AGENT)
        .dns_resolver(CheckedDns::new(allowed.local_names()))
        .build()
        .ok()
}

/// One request with all its redirects, each held against the list again.
async fn exchange(
    client: Client,
    allowed: Arc<AllowList>,
    mut request: Checked,
    limit: usize,
    slot: &mut Slot,
) -> Result<FetchResponse, NetError> {
    let first = request.url.clone();
    for hop in 0..=MAX_REDIRECTS {
        allowed.check(&request.url)?;
        let mut builder = client.request(request.method.clone(), request.url.clone()).headers(request.headers.clone());
        if let Some(body) = &request.body {
            builder = builder.body(body.clone());
        }
        let response = builder.send().await.map_err(|error| failure(&error, &request.url))?;
        let arrival = if hop == 0 { Arrival::Direct } else { Arrival::Redirected };
        let target = match (request.redirects, target(&response, &request.url)) {
            (Redirects::Follow, Some(target)) => target,
            (Redirects::Refuse, Some(_)) => return Err(NetError::RedirectForbidden { url: shown(&request.url) }),
            (Redirects::Show, Some(_)) | (_, None) => {
                return FetchResponse::read(response, &request.url, arrival, limit, slot).await;
            }
        };
        request = redirected(request, response.status(), target);
    }
    Err(NetError::TooManyRedirects { url: shown(&first), limit: MAX_REDIRECTS })
}

/// Where a response sends the request, if it does.
fn target(response: &reqwest::Response, url: &Url) -> Option<Url> {
    let moved = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = response.headers().get(LOCATION).filter(|_| moved)?;
    url.join(location.to_str().ok()?).ok()
}

/// The request for the next hop: secrets stay with the origin that they were meant for.
fn redirected(mut request: Checked, status: StatusCode, target: Url) -> Checked {
    let becomes_get = match status {
        StatusCode::SEE_OTHER => request.method != Method::HEAD,
        StatusCode::MOVED_PERMANENTLY | StatusCode::FOUND => request.method == Method::POST,
        _ => false,
    };
    if becomes_get {
        request.method = Method::GET;
        request.body = None;
        for name in [CONTENT_TYPE, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION] {
            request.headers.remove(name);
        }
    }
    if target.origin() != request.url.origin() {
        request.headers.remove(AUTHORIZATION);
        request.headers.remove(COOKIE);
    }
    request.url = target;
    request
}

fn failure(error: &reqwest::Error, url: &Url) -> NetError {
    let mut source: Option<&(dyn StdError + 'static)> = Some(error);
    while let Some(cause) = source {
        if let Some(refusal) = cause.downcast_ref::<NetError>() {
            return refusal.clone();
        }
        source = cause.source();
    }
    let why = if error.is_connect() {
        "no connection; check the host, or that the server runs"
    } else {
        "the server did not answer as HTTP asks"
    };
    NetError::Failed { url: shown(url), why }
}
