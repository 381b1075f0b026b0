//! The origin of a URL.

use super::parse_url::parse;
use super::url_record::WebUrl;

/// Scheme, host and port; `null` for an opaque origin.
pub fn origin(url: &WebUrl) -> String {
    match url.scheme.as_str() {
        "http" | "https" | "ws" | "wss" | "ftp" => format!("{}://{}", url.scheme, url.host_text()),
        "blob" => parse(&url.path, None)
            .filter(|inner| matches!(inner.scheme.as_str(), "http" | "https"))
            .map_or_else(|| "null".to_owned(), |inner| origin(&inner)),
        _ => "null".to_owned(),
    }
}
