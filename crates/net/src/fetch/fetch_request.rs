//! Validation of a guest's fetch request.

use crate::net_error::{NetError, shown, shown_text};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use serde::Deserialize;
use url::Url;

/// Limits for the number of headers and their total size.
const MAX_HEADERS: usize = 64;
const MAX_HEADER_BYTES: usize = 16 << 10;

/// Headers controlled by the connection. Ignored silently, as in browsers, because packages set them by default and the request
/// means the same without them.
const IGNORED: [&str; 9] =
    ["accept-encoding", "connection", "content-length", "date", "expect", "host", "keep-alive", "te", "via"];
/// Headers and prefixes reserved for the connection or the browser. Refused, because ignoring them would change the request.
const FORBIDDEN: [&str; 6] = ["cookie2", "forwarded", "http2-settings", "trailer", "transfer-encoding", "upgrade"];
const FORBIDDEN_PREFIXES: [&str; 3] = ["proxy-", "sec-", "x-forwarded-"];

/// A request as the guest sent it, not validated.
#[derive(Debug, Default, Deserialize)]
pub struct FetchRequest {
    url: String,
    method: Option<String>,
    redirect: Option<String>,
    /// Alternating names and values.
    #[serde(default)]
    headers: Vec<String>,
    text: Option<String>,
    base64: Option<String>,
    /// The content type that the kind of body implies.
    #[serde(rename = "type")]
    implied_type: Option<String>,
}

/// Handling of redirects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Redirects {
    Follow,
    Show,
    Refuse,
}

/// A validated request. Its URL is checked against the allow-list separately.
#[derive(Debug)]
pub(super) struct CheckedRequest {
    pub(super) url: Url,
    pub(super) method: Method,
    pub(super) redirects: Redirects,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

impl FetchRequest {
    /// Whether the method is GET or HEAD.
    #[must_use]
    pub fn only_reads(&self) -> bool {
        let method = self.method.as_deref().unwrap_or("GET");
        method.eq_ignore_ascii_case("GET") || method.eq_ignore_ascii_case("HEAD")
    }

    /// # Errors
    /// `BadUrl`, `Method`, `RedirectMode`, `Header`, `UnwantedBody`, `TooLarge`.
    pub(super) fn check(self, max_bytes: usize) -> Result<CheckedRequest, NetError> {
        let url = Url::parse(&self.url).map_err(|_| NetError::BadUrl { url: shown_text(&self.url) })?;
        let method = method(self.method.as_deref().unwrap_or("GET"))?;
        let redirects = match self.redirect.as_deref().unwrap_or("follow") {
            "follow" => Redirects::Follow,
            "manual" => Redirects::Show,
            "error" => Redirects::Refuse,
            mode => return Err(NetError::RedirectMode { mode: shown_text(mode) }),
        };
        let mut headers = headers(&self.headers, &url)?;
        let body = match (self.text, self.base64) {
            (Some(text), _) => Some(text.into_bytes()),
            (None, Some(bytes)) => BASE64_STANDARD.decode(bytes).ok(),
            (None, None) => None,
        };
        if body.is_some() && matches!(method, Method::GET | Method::HEAD) {
            return Err(NetError::UnwantedBody { method: method.to_string() });
        }
        if body.as_ref().is_some_and(|body| body.len() > max_bytes) {
            return Err(NetError::TooLarge { url: shown(&url), what: "request body", limit: max_bytes });
        }
        if let Some(implied) = self.implied_type.and_then(|text| HeaderValue::from_str(&text).ok()) {
            headers.entry(CONTENT_TYPE).or_insert(implied);
        }
        Ok(CheckedRequest { url, method, redirects, headers, body })
    }
}

fn method(text: &str) -> Result<Method, NetError> {
    let known = [Method::GET, Method::HEAD, Method::POST, Method::PUT, Method::PATCH, Method::DELETE, Method::OPTIONS];
    let upper = text.to_ascii_uppercase();
    known
        .into_iter()
        .find(|method| method.as_str() == upper)
        .ok_or_else(|| NetError::Method { method: shown_text(text) })
}

fn headers(flat: &[String], url: &Url) -> Result<HeaderMap, NetError> {
    let (pairs, rest) = flat.as_chunks::<2>();
    let bytes: usize = flat.iter().map(String::len).sum();
    let refused = |name: &str, why| NetError::Header { name: shown_text(name), why };
    if pairs.len() > MAX_HEADERS || bytes > MAX_HEADER_BYTES || !rest.is_empty() {
        return Err(refused("*", "is refused: a request may have at most 64 headers of 16 KiB in total"));
    }
    let mut headers = HeaderMap::new();
    for [name, value] in pairs {
        let lower = name.to_ascii_lowercase();
        if FORBIDDEN.contains(&lower.as_str()) || FORBIDDEN_PREFIXES.iter().any(|prefix| lower.starts_with(prefix)) {
            return Err(refused(name, "cannot be set by a tool; remove it"));
        }
        if lower == "host" && !is_host_of(url, value) {
            return Err(refused(name, "differs from the host of the URL; remove it"));
        }
        let parsed =
            HeaderName::from_bytes(lower.as_bytes()).map_err(|_| refused(name, "does not have a valid name"))?;
        let value = HeaderValue::from_str(value)
            .map_err(|_| refused(name, "contains characters that are not allowed in a header"))?;
        if !IGNORED.contains(&lower.as_str()) {
            headers.append(parsed, value);
        }
    }
    Ok(headers)
}

/// Whether a `Host` header names the host of the URL, with or without its default port.
fn is_host_of(url: &Url, value: &str) -> bool {
    let host = url.host_str().unwrap_or_default();
    let with = |port: Option<u16>| port.map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"));
    [with(url.port()), with(url.port_or_known_default())].iter().any(|own| own.eq_ignore_ascii_case(value.trim()))
}

#[cfg(test)]
mod tests {
    use super::FetchRequest;

    fn request(json: &str) -> Result<super::CheckedRequest, super::NetError> {
        serde_json::from_str::<FetchRequest>(json).unwrap().check(10)
    }

    #[test]
    fn only_supported_methods_headers_and_bodies_are_accepted() {
        let good =
            request(r#"{"url":"http://x/","method":"post","headers":["X-Key","1"],"text":"a","type":"text/plain"}"#)
                .unwrap();
        assert_eq!((good.method.as_str(), good.headers.len(), good.body.unwrap().len()), ("POST", 2, 1));
        let habits = request(
            r#"{"url":"http://x/","method":"PUT","headers":["Content-Length","9","Connection","close","accept-encoding","br","TE","trailers","Keep-Alive","1","Expect","100-continue","Date","now","Via","1.1 a","x-key","1"],"text":"a"}"#,
        )
        .unwrap();
        assert_eq!(habits.headers.keys().map(super::HeaderName::as_str).collect::<Vec<_>>(), ["x-key"]);
        for (url, host) in [
            ("http://x/", "x"),
            ("http://x/", "X:80"),
            ("https://x/", "x:443"),
            ("http://x:8/", "x:8"),
            ("http://[::1]/", "[::1]"),
        ] {
            let own = request(&format!(r#"{{"url":"{url}","headers":["Host","{host}"]}}"#)).unwrap();
            assert!(own.headers.is_empty(), "{url} {host}");
        }
        for (json, word) in [
            (r#"{"url":"http://x:8/","headers":["Host","x"]}"#, "differs"),
            (r#"{"url":"http://x/","headers":["Host","x, y"]}"#, "differs"),
            (r#"{"url":"http://x/","headers":["Content-Length","1\r\nHost: y"]}"#, "characters"),
            (r#"{"url":"/relative"}"#, "absolute"),
            (r#"{"url":"http://x/","method":"TRACE"}"#, "TRACE"),
            (r#"{"url":"http://x/","method":"CONNECT"}"#, "CONNECT"),
            (r#"{"url":"http://x/","headers":["Host","y"]}"#, "Host"),
            (r#"{"url":"http://x/","headers":["Transfer-Encoding","chunked"]}"#, "Transfer-Encoding"),
            (r#"{"url":"http://x/","headers":["proxy-authorization","y"]}"#, "proxy-authorization"),
            (r#"{"url":"http://x/","headers":["a","b\r\nHost: y"]}"#, "characters"),
            (r#"{"url":"http://x/","headers":["a b","c"]}"#, "valid name"),
            (r#"{"url":"http://x/","text":"a"}"#, "GET"),
            (r#"{"url":"http://x/","method":"PUT","text":"12345678901"}"#, "larger"),
            (r#"{"url":"http://x/","redirect":"maybe"}"#, "maybe"),
        ] {
            let error = request(json).unwrap_err().to_string();
            assert!(error.contains(word), "{json}: {error}");
        }
    }
}
