//! Runs fetches of guests, on a runtime thread that the first request starts.

use super::allow_list::AllowList;
use super::checked_dns::CheckedDns;
use super::fetch_request::{CheckedRequest, FetchRequest, Redirects};
use super::fetch_response::{Arrival, FetchResponse};
use super::fetch_slots::{FetchSlots, Slot};
use super::filled_request::{FilledRequest, fill_secrets};
use crate::net_error::{NetError, shown};
use crate::net_thread::NetThread;
use crate::proxy_auth::requires_proxy_auth;
use crate::route::Route;
use crate::try_once_lock::TryOnceLock;
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

/// Redirects followed by one request.
const MAX_REDIRECTS: usize = 10;
const USER_AGENT: &str = "tgp";
/// Reasons for proxy failures, as shown to a tool. Only the owner of the proxy configuration can fix them.
const PROXY_AUTH_REQUIRED: &str =
    "requires a user name and a password; the owner must add them to the address in network.proxy";
const PROXY_UNREACHABLE: &str =
    "made no connection; the owner must check that it runs and allows requests to this host";

/// Limits of one request.
#[derive(Debug, Clone, Copy)]
pub struct FetchLimits {
    /// Largest decompressed body, in either direction.
    pub bytes: usize,
    /// From the first DNS lookup to the last byte, redirects included.
    pub time: Duration,
}

/// Receives the response or the error. Called once, from any thread; dropped when the request is aborted.
pub type FetchDone = Box<dyn FnOnce(Result<FetchResponse, Error>) + Send>;

/// A running request.
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

/// Decides whether a redirect to a URL may be followed with a method.
pub type RedirectCheck = Arc<dyn Fn(&str, &str) -> Result<(), Error> + Send + Sync>;

pub struct Fetcher {
    limits: FetchLimits,
    network: Arc<Network>,
    thread: TryOnceLock<NetThread>,
}

/// Shared state of all requests.
struct Network {
    allowed: AllowList,
    secrets: BoundSecrets,
    route: Route,
    client: TryOnceLock<Client>,
    slots: Arc<FetchSlots>,
}

impl Fetcher {
    /// # Errors
    /// `BadEntry` for an entry that is not a plain http or https URL.
    pub fn new(allowed: &[String], limits: FetchLimits, route: Route, secrets: BoundSecrets) -> Result<Self, NetError> {
        let allowed = AllowList::parse(allowed)?;
        let network = Network { allowed, secrets, route, client: TryOnceLock::new(), slots: Arc::default() };
        Ok(Self { limits, network: Arc::new(network), thread: TryOnceLock::new() })
    }

    /// Validates a request and returns its method and URL.
    ///
    /// # Errors
    /// As [`Fetcher::fetch`] for a refused request.
    pub fn check(&self, request: FetchRequest) -> Result<(String, String), NetError> {
        let checked = request.check(self.limits.bytes)?;
        self.network.allowed.check(&checked.url)?;
        Ok((checked.method.to_string(), checked.url.to_string()))
    }

    /// Sends a request of `root` or one of its child runs. Abort the returned task to cancel it. `redirect_check` is called for
    /// the target of every redirect.
    pub fn fetch(
        &self,
        root: RunId,
        request: FetchRequest,
        redirect_check: RedirectCheck,
        done: FetchDone,
    ) -> FetchTask {
        let refused = |error: NetError, done: FetchDone| {
            done(Err(error.into()));
            FetchTask(None)
        };
        let checked = request.check(self.limits.bytes).and_then(|checked| {
            self.network.allowed.check(&checked.url)?;
            Ok(checked)
        });
        let ready =
            checked.and_then(|checked| Ok((checked, self.thread.get_or_try_init(|| NetThread::start("tgp-net"))?)));
        let (checked, thread) = match ready {
            Ok(ready) => ready,
            Err(error) => return refused(error, done),
        };
        let FetchLimits { bytes, time } = self.limits;
        let first = checked.url.clone();
        let network = Arc::clone(&self.network);
        let exchange = contained(async move {
            let mut slot = network.slots.take(root).await;
            let answer = network.exchange(checked, bytes, &mut slot, &redirect_check).await;
            // The slot is held until the guest has the answer.
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
    /// The HTTP client. Created on the network thread, because reading the system's certificates is slow and must not be charged
    /// to a guest.
    fn client(&self) -> Result<&Client, NetError> {
        self.client.get_or_try_init(|| {
            // With a proxy only the proxy's name is resolved here; the allow-list alone restricts the hosts.
            let dns = CheckedDns::new(self.allowed.local_names(), self.route.proxy_host());
            let builder = self.route.client(self.route.tls()?).user_agent(USER_AGENT).dns_resolver(dns);
            builder.build().map_err(|_| NetError::NoRuntime)
        })
    }

    /// Sends a request and follows its redirects. Each target is checked against the allow-list.
    async fn exchange(
        &self,
        mut request: CheckedRequest,
        limit: usize,
        slot: &mut Slot,
        redirect_check: &RedirectCheck,
    ) -> Result<FetchResponse, NetError> {
        let client = self.client()?;
        let first = request.url.clone();
        for hop in 0..=MAX_REDIRECTS {
            self.allowed.check(&request.url)?;
            let FilledRequest { url, headers, body } = fill_secrets(&request, &self.secrets)?;
            let builder = client.request(request.method.clone(), url).headers(headers);
            let builder = match body {
                Some(body) => builder.body(body),
                None => builder,
            };
            let response = builder.send().await.map_err(|error| self.failure(&error, &request.url))?;
            if response.status() == StatusCode::PROXY_AUTHENTICATION_REQUIRED
                && let Some(proxy) = self.route.proxy_description(&request.url)
            {
                return Err(NetError::Proxy { url: shown(&request.url), proxy, why: PROXY_AUTH_REQUIRED });
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
            redirect_check(request.url.as_str(), request.method.as_str())
                .map_err(|refusal| NetError::RedirectRefused(Box::new(refusal)))?;
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
            return NetError::Failed { url: shown(url), why: "the server did not send a valid HTTP response" };
        }
        let Some(proxy) = self.route.proxy_description(url) else {
            return NetError::Failed {
                url: shown(url),
                why: "no connection; check the address, try once more, then report that the server cannot be reached",
            };
        };
        let why = if requires_proxy_auth(error) { PROXY_AUTH_REQUIRED } else { PROXY_UNREACHABLE };
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

/// The target of a redirect.
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
    // Secrets in the location become placeholders again; the next hop fills them in or refuses them.
    let location = secrets.mask_bytes(location.as_bytes());
    url.join(std::str::from_utf8(&location).ok()?).ok()
}

/// The request for the next hop. Credentials are removed when the origin changes.
fn redirected(mut request: CheckedRequest, status: StatusCode, target: Url) -> CheckedRequest {
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
    fn a_failed_thread_start_is_retried() {
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
            let (sender, received) = channel();
            let request: FetchRequest = serde_json::from_value(json!({ "url": url })).unwrap();
            fetcher.fetch(
                RunId(1),
                request,
                std::sync::Arc::new(|_, _| Ok(())),
                Box::new(move |answer| sender.send(answer.is_ok()).unwrap()),
            );
            received.recv().unwrap()
        };
        assert!(!spawn_failure::during("tgp-net", fetched));
        assert!(fetched());
    }
}
