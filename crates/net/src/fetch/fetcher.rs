//! Sends requests, on a thread of its own that starts with the first one.

use super::allow_list::AllowList;
use super::checked_dns::CheckedDns;
use super::fetch_request::{Checked, FetchRequest, Redirects};
use super::fetch_response::{Arrival, FetchResponse};
use super::fetch_slots::{FetchSlots, Slot};
use super::filled_request::{Filled, filled};
use crate::made_once::MadeOnce;
use crate::net_error::{NetError, shown};
use crate::net_thread::NetThread;
use crate::proxy_refusal::wants_password;
use crate::route::Route;
use reqwest::header::{
    AUTHORIZATION, CONTENT_ENCODING, CONTENT_LANGUAGE, CONTENT_LOCATION, CONTENT_TYPE, COOKIE, LOCATION,
};
use reqwest::{Client, Method, StatusCode};
use std::error::Error as StdError;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;
use tgp_base::bound_secrets::BoundSecrets;
use tgp_base::error::Error;
use tgp_base::ids::RunId;
use tgp_base::threads::{self, Panicked};
use tokio::task::AbortHandle;
use url::Url;

/// Redirects that one request may follow.
const MAX_REDIRECTS: usize = 10;
const USER_AGENT: &str = "tgp";
/// What a tool is told of a proxy; only who set it up can do something about it.
const WANTS_PASSWORD: &str = "wants a user name and a password; the owner puts them into the address in network.proxy";
const NO_WAY: &str = "gave no connection; the owner checks that it runs and lets requests to this host through";

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

/// Says whether a request may go on to a URL, with a method.
pub type HopCheck = Arc<dyn Fn(&str, &str) -> Result<(), Error> + Send + Sync>;

pub struct Fetcher {
    limits: FetchLimits,
    network: Arc<Network>,
    thread: MadeOnce<NetThread>,
}

/// What the requests on the thread share.
struct Network {
    allowed: AllowList,
    secrets: BoundSecrets,
    route: Route,
    client: MadeOnce<Client>,
    slots: Arc<FetchSlots>,
}

impl Fetcher {
    /// # Errors
    /// `BadEntry` for an entry that is no plain http or https URL.
    pub fn new(allowed: &[String], limits: FetchLimits, route: Route, secrets: BoundSecrets) -> Result<Self, NetError> {
        let allowed = AllowList::parse(allowed)?;
        let network = Network { allowed, secrets, route, client: MadeOnce::new(), slots: Arc::default() };
        Ok(Self { limits, network: Arc::new(network), thread: MadeOnce::new() })
    }

    /// The method and the address of a request that may be sent.
    ///
    /// # Errors
    /// As a request that is not sent.
    pub fn check(&self, request: FetchRequest) -> Result<(String, String), NetError> {
        let checked = request.check(self.limits.bytes)?;
        self.network.allowed.check(&checked.url)?;
        Ok((checked.method.to_string(), checked.url.to_string()))
    }

    /// Sends a request of a run below `root`, or of `root` itself. Whoever stops waiting for it aborts the task.
    /// `hops` is asked about every address that a redirect leads to.
    pub fn fetch(&self, root: RunId, request: FetchRequest, hops: HopCheck, done: FetchDone) -> FetchTask {
        let refused = |error: NetError, done: FetchDone| {
            done(Err(error.into()));
            FetchTask(None)
        };
        let checked = request.check(self.limits.bytes).and_then(|checked| {
            self.network.allowed.check(&checked.url)?;
            Ok(checked)
        });
        let ready = checked.and_then(|checked| Ok((checked, self.thread.get(|| NetThread::start("tgp-net"))?)));
        let (checked, thread) = match ready {
            Ok(ready) => ready,
            Err(error) => return refused(error, done),
        };
        let FetchLimits { bytes, time } = self.limits;
        let first = checked.url.clone();
        let network = Arc::clone(&self.network);
        let exchange = contained(async move {
            let mut slot = network.slots.take(root).await;
            let answer = network.exchange(checked, bytes, &mut slot, &hops).await;
            // It is held until the answer is the guest's.
            (slot, answer)
        });
        let task = thread.runtime.spawn(async move {
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
    /// The client. Called on the network's thread alone: making it reads the machine's certificates, which is nothing that
    /// a guest's thread should wait or pay for.
    fn client(&self) -> Result<&Client, NetError> {
        self.client.get(|| {
            // Through a proxy no address is looked up here but its own: which hosts are reached is up to the list of URLs.
            let dns = CheckedDns::new(self.allowed.local_names(), self.route.proxy_host());
            let builder = self.route.client(self.route.tls()?).user_agent(USER_AGENT).dns_resolver(dns);
            builder.build().map_err(|_| NetError::NoRuntime)
        })
    }

    /// One request with all its redirects, each held against the list again.
    async fn exchange(
        &self,
        mut request: Checked,
        limit: usize,
        slot: &mut Slot,
        hops: &HopCheck,
    ) -> Result<FetchResponse, NetError> {
        let client = self.client()?;
        let first = request.url.clone();
        for hop in 0..=MAX_REDIRECTS {
            self.allowed.check(&request.url)?;
            let Filled { url, headers, body } = filled(&request, &self.secrets)?;
            let builder = client.request(request.method.clone(), url).headers(headers);
            let builder = match body {
                Some(body) => builder.body(body),
                None => builder,
            };
            let response = builder.send().await.map_err(|error| self.failure(&error, &request.url))?;
            if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED
                && let Some(proxy) = self.route.carrier_of(&request.url)
            {
                return Err(NetError::Proxy { url: shown(&request.url), proxy, why: WANTS_PASSWORD });
            }
            let arrival = if hop == 0 { Arrival::Direct } else { Arrival::Redirected };
            let target = match (request.redirects, target(&response, &request.url, &self.secrets)) {
                (Redirects::Follow, Some(target)) => target,
                (Redirects::Refuse, Some(_)) => return Err(NetError::RedirectForbidden { url: shown(&request.url) }),
                (Redirects::Show, Some(_)) | (_, None) => {
                    return FetchResponse::read(response, &request.url, arrival, limit, slot, &self.secrets).await;
                }
            };
            request = redirected(request, response.status(), target);
            hops(request.url.as_str(), request.method.as_str())
                .map_err(|refusal| NetError::HopRefused(Box::new(refusal)))?;
        }
        Err(NetError::TooManyRedirects { url: shown(&first), limit: MAX_REDIRECTS })
    }

    fn failure(&self, error: &reqwest::Error, url: &Url) -> NetError {
        let mut source: Option<&(dyn StdError + 'static)> = Some(error);
        while let Some(cause) = source {
            if let Some(refusal) = cause.downcast_ref::<NetError>() {
                return refusal.clone();
            }
            source = cause.source();
        }
        if !error.is_connect() {
            return NetError::Failed { url: shown(url), why: "the server did not answer as HTTP asks" };
        }
        let Some(proxy) = self.route.carrier_of(url) else {
            return NetError::Failed {
                url: shown(url),
                why: "no connection; check the address, try once more, then say that the server cannot be reached",
            };
        };
        let why = if wants_password(error) { WANTS_PASSWORD } else { NO_WAY };
        NetError::Proxy { url: shown(url), proxy, why }
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

/// Where a response sends the request, if it does.
fn target(response: &reqwest::Response, url: &Url, secrets: &BoundSecrets) -> Option<Url> {
    let moved = matches!(
        response.status(),
        StatusCode::MOVED_PERMANENTLY
            | StatusCode::FOUND
            | StatusCode::SEE_OTHER
            | StatusCode::TEMPORARY_REDIRECT
            | StatusCode::PERMANENT_REDIRECT
    );
    let location = response.headers().get(LOCATION).filter(|_| moved)?;
    // What the server was told becomes a placeholder again, which the next hop fills in, or refuses.
    let location = secrets.mask_bytes(location.as_bytes());
    url.join(std::str::from_utf8(&location).ok()?).ok()
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

#[cfg(test)]
mod tests {
    use super::{FetchLimits, Fetcher};
    use crate::{FetchRequest, Route};
    use serde_json::json;
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;
    use tgp_base::bound_secrets::BoundSecrets;
    use tgp_base::ids::RunId;
    use tgp_base::threads::spawn_failure;

    #[test]
    fn a_thread_that_was_refused_is_asked_for_again() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        thread::spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            assert!(stream.read(&mut [0; 4096]).unwrap() > 0);
            stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
        });
        let limits = FetchLimits { bytes: 1 << 20, time: Duration::from_secs(60) };
        let fetcher =
            Fetcher::new(std::slice::from_ref(&url), limits, Route::default(), BoundSecrets::default()).unwrap();
        let fetched = || {
            let (tell, told) = channel();
            let request: FetchRequest = serde_json::from_value(json!({ "url": url })).unwrap();
            fetcher.fetch(
                RunId(1),
                request,
                std::sync::Arc::new(|_, _| Ok(())),
                Box::new(move |answer| tell.send(answer.is_ok()).unwrap()),
            );
            told.recv().unwrap()
        };
        assert!(!spawn_failure::during("tgp-net", fetched));
        assert!(fetched());
    }
}
