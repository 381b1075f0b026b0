//! What is needed of HTTP. Whoever has the network provides it: this part sends nothing by itself.

use std::io::Read;
use std::time::Duration;

/// Sends requests one by one. No redirect is followed and no body unpacked: whoever asks decides.
pub trait HttpClient: Send + Sync {
    /// Begins a request, without waiting for anything.
    ///
    /// # Errors
    /// Why it cannot be sent at all, in words that hold no address.
    fn start(&self, request: HttpRequest) -> Result<HttpExchange, String>;
}

/// One request.
pub struct HttpRequest {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    /// What is sent, and how long it is.
    pub body: Option<(Box<dyn Read + Send>, u64)>,
    /// For all of it.
    pub total_timeout: Duration,
    /// How long nothing may come once the answer has begun.
    pub read_idle_timeout: Duration,
    /// How long the server may take nothing of the body.
    pub write_idle_timeout: Duration,
}

/// Waits for the start of an answer, or says why there is none in words that hold no address.
pub type AwaitAnswer = Box<dyn FnOnce() -> Result<HttpAnswer, String> + Send>;

/// A request under way.
pub struct HttpExchange {
    /// Ends it, whoever waits for it.
    pub cancel: Box<dyn FnOnce() + Send>,
    pub answer: AwaitAnswer,
}

/// An answer whose body is still to come. Reading it fails with an error whose text holds no address.
pub struct HttpAnswer {
    pub status: u16,
    /// Names in lower case. Values that are no text are left out.
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn Read + Send>,
}

impl HttpAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
