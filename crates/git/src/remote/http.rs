//! The HTTP client interface, implemented by the kernel.

use std::io::Read;
use std::time::Duration;

/// An HTTP client. It does not follow redirects and does not decode bodies.
pub trait HttpClient: Send + Sync {
    /// Starts a request without blocking.
    ///
    /// # Errors
    /// Why the request cannot be sent; without addresses.
    fn start(&self, request: HttpRequest) -> Result<HttpExchange, String>;
}

/// One request.
pub struct HttpRequest {
    pub method: &'static str,
    pub url: String,
    pub headers: Vec<(&'static str, String)>,
    /// The body and its length in bytes.
    pub body: Option<(Box<dyn Read + Send>, u64)>,
    /// For the whole request.
    pub total_timeout: Duration,
    /// Longest time without data once the answer has begun.
    pub read_idle_timeout: Duration,
    /// Longest time in which the server accepts no data of the body.
    pub write_idle_timeout: Duration,
}

/// Blocks until the headers have arrived; the error contains no addresses.
pub type AwaitAnswer = Box<dyn FnOnce() -> Result<HttpAnswer, String> + Send>;

/// A running request.
pub struct HttpExchange {
    /// Cancels the request from any thread.
    pub cancel: Box<dyn FnOnce() + Send>,
    pub answer: AwaitAnswer,
}

/// An answer with its body as a stream. Read errors contain no addresses.
pub struct HttpAnswer {
    pub status: u16,
    /// Names in lower case. Values that are not text are omitted.
    pub headers: Vec<(String, String)>,
    pub body: Box<dyn Read + Send>,
}

impl HttpAnswer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}
