//! Who a URL belongs to.

use super::parse_url::parse;
use super::url_record::WebUrl;

/// Scheme, host and port; `null` for what belongs to nobody that others could name.
pub fn origin(url: &WebUrl) -> String {
    match url.scheme.as_str() {
        "http" | "https" | "ws" | "wss" | "ftp" => format!("{}://{}", url.scheme, url.host_text()),
        "blob" => parse(&url.path, None)
            .filter(|inner| matches!(inner.scheme.as_str(), "http" | "https"))
            .map_or_else(|| "null".to_owned(), |inner| origin(&inner)),
        _ => "null".to_owned(),
    }
}
