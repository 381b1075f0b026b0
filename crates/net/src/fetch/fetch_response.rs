//! A fetch response as the guest receives it.

use super::fetch_slots::Slot;
use super::filled_request::destination_of;
use crate::net_error::{NetError, shown};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{CONTENT_ENCODING, CONTENT_LENGTH, HeaderName, SET_COOKIE, TRANSFER_ENCODING};
use serde::Serialize;
use std::borrow::Cow;
use tgp_base::bound_secrets::BoundSecrets;
use url::Url;

/// Extra body size before masking. The limit applies to the masked body; otherwise it would reveal the length of a secret.
const MASKING_HEADROOM: usize = 1 << 20;
/// Headers derived from the original body. Removed if the body contains a secret.
const BODY_HEADERS: [&str; 6] = ["content-digest", "content-md5", "content-range", "digest", "etag", "repr-digest"];

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FetchResponse {
    status: u16,
    status_text: &'static str,
    url: String,
    redirected: bool,
    /// Alternating names and values.
    headers: Vec<String>,
    /// The body, if it is text that is not longer as JSON than as base64; otherwise see `base64`.
    #[serde(skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    base64: Option<String>,
}

/// Whether a response was reached by a redirect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrival {
    Direct,
    Redirected,
}

impl FetchResponse {
    /// Reads the whole decompressed body, up to `limit` bytes.
    pub(super) async fn read(
        mut response: reqwest::Response,
        url: &Url,
        arrival: Arrival,
        limit: usize,
        slot: &mut Slot,
        secrets: &BoundSecrets,
    ) -> Result<Self, NetError> {
        let too_large = || NetError::TooLarge { url: shown(url), what: "response", limit };
        let status = response.status();
        // The body is decompressed here, so its encoding and its compressed length no longer apply.
        let hidden = [CONTENT_ENCODING, CONTENT_LENGTH, TRANSFER_ENCODING, SET_COOKIE];
        let mut headers = Vec::new();
        // A header name cannot contain a placeholder, so headers with a secret in their name are removed.
        let is_shown = |name: &HeaderName| !hidden.contains(name) && !secrets.any_in_header_name(name.as_str());
        for (name, value) in response.headers().iter().filter(|(name, _)| is_shown(name)) {
            headers.push(name.as_str().to_owned());
            let value = secrets.mask_bytes(value.as_bytes());
            headers.push(value.iter().map(|byte| char::from(*byte)).collect());
        }
        let sent = limit + if secrets.is_empty() { 0 } else { MASKING_HEADROOM };
        if response.content_length().is_some_and(|length| length > sent as u64) {
            return Err(too_large());
        }
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|_| NetError::Failed {
            url: shown(url),
            why: "the connection closed before the end of the answer",
        })? {
            if bytes.len() + chunk.len() > sent {
                return Err(too_large());
            }
            slot.reserve(bytes.len() + chunk.len(), sent).await;
            bytes.extend_from_slice(&chunk);
        }
        if let Cow::Owned(masked) = secrets.mask_bytes(&bytes) {
            bytes = masked;
            headers = without_body_headers(headers);
        }
        // An answer to HEAD, or a 304, describes a body that cannot be searched for secrets.
        if bytes.is_empty() && secrets.any_for(destination_of(url)) {
            headers = without_body_headers(headers);
        }
        if bytes.len() > limit {
            return Err(too_large());
        }
        let (text, base64) = match String::from_utf8(bytes) {
            Ok(text) if is_compact(&text) => (Some(text), None),
            Ok(text) => (None, Some(BASE64_STANDARD.encode(text))),
            Err(error) => (None, Some(BASE64_STANDARD.encode(error.as_bytes()))),
        };
        Ok(Self {
            status: status.as_u16(),
            status_text: status.canonical_reason().unwrap_or_default(),
            url: url.to_string(),
            redirected: arrival == Arrival::Redirected,
            headers,
            text,
            base64,
        })
    }
}

/// Removes headers derived from the original body.
fn without_body_headers(headers: Vec<String>) -> Vec<String> {
    let (pairs, _) = headers.as_chunks::<2>();
    pairs.iter().filter(|[name, _]| !BODY_HEADERS.contains(&name.as_str())).flatten().cloned().collect()
}

/// Whether text is no longer as JSON than as base64. A control character takes six bytes.
fn is_compact(text: &str) -> bool {
    let more = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 1,
        0..32 => 5,
        _ => 0,
    };
    text.bytes().map(more).sum::<usize>() <= text.len() / 3
}

#[cfg(test)]
mod tests {
    use super::is_compact;

    #[test]
    fn text_that_grows_in_json_is_sent_as_base64() {
        assert!(is_compact("") && is_compact("plain\nlines, \"quoted\", ä") && is_compact(&"abc\n".repeat(9)));
        assert!(!is_compact(&"\0".repeat(9)) && !is_compact(&"\"".repeat(9)) && !is_compact(&"ab\u{1}".repeat(9)));
    }
}
