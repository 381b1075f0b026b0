//! Sends requests, on a thread of its own that starts with the first one.

use super::allow_list::AllowList;
use super::checked_dns::CheckedDns;
use super::fetch_request::{Checked, FetchRequest, Redirects};
use super::fetch_response::{Arrival, FetchResponse};
use super::fetch_slots::{FetchSlots, Slot};
use crate::error::Error;
use crate::ids::RunId;
use crate::net::net_error::{NetError, shown};
use crate::net::net_thread::NetThread;
use crate::net::route::Route;
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
use tokio::task::AbortHandle;
use url::Url;

/// Redirects that one request may follow.
const MAX_REDIRECTS: usize = 10;
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
    route: Route,
    network: OnceLock<Option<Network>>,
}

struct Network {
    client: Client,
    thread: NetThread,
    slots: Arc<FetchSlots>,
}

impl Fetcher {
    /// # Errors
    /// `BadEntry` for an entry that is no plain http or https URL.
    pub fn new(allowed: &[String], limits: FetchLimits, route: Route) -> Result<Self, NetError> {
        Ok(Self { allowed: Arc::new(AllowList::parse(allowed)?), limits, route, network: OnceLock::new() })
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
        let Some(network) = self.network.get_or_init(|| Network::start(&self.allowed, &self.route)) else {
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
        let task = network.thread.runtime.spawn(async move {
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
    fn start(allowed: &AllowList, route: &Route) -> Option<Self> {
        // Through a proxy no address is looked up here but its own: which hosts are reached is up to the list of URLs.
        let dns = CheckedDns::new(allowed.local_names(), route.proxy_host());
        let client = route.client()?.user_agent(USER_AGENT).dns_resolver(dns).build().ok()?;
        Some(Self { client, thread: NetThread::start("tgp-net")?, slots: Arc::default() })
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
