//! Replaces placeholders in a request by the secrets that are bound to its server.

use super::fetch_request::CheckedRequest;
use crate::net_error::{NetError, shown_text};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RANGE};
use tgp_base::bound_secrets::{BoundSecrets, Destination, SecretEncoding, SecretError};
use tgp_base::loopback::is_loopback;
use url::Url;

pub(super) struct FilledRequest {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

/// The destination of secrets in a request to `url`.
pub(super) fn destination_of(url: &Url) -> Destination<'_> {
    Destination::Server { url, is_private: url.scheme() == "https" || is_loopback(url) }
}

/// # Errors
/// `SecretError` for a secret that is not bound to this server, `Header` for one that is invalid in a header and for `Range`.
pub(super) fn fill_secrets(request: &CheckedRequest, secrets: &BoundSecrets) -> Result<FilledRequest, NetError> {
    let CheckedRequest { url, headers, body, .. } = request;
    if secrets.is_empty() {
        return Ok(FilledRequest { url: url.clone(), headers: headers.clone(), body: body.clone() });
    }
    let to = destination_of(url);
    if headers.contains_key(RANGE) {
        // Part of a secret would not be masked, and any server may return a secret that another one received.
        let why = "is refused because secrets are configured: a partial answer could contain part of a secret. Fetch the whole resource";
        return Err(NetError::Header { name: RANGE.to_string(), why });
    }
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().windows(4).any(|part| part == b"json"));
    let body_spelling = if is_json { SecretEncoding::Json } else { SecretEncoding::Plain };
    Ok(FilledRequest {
        url: fill_url(url, to, secrets)?,
        headers: fill_headers(headers, to, secrets)?,
        body: body
            .as_ref()
            .map(|body| secrets.fill(body, to, body_spelling).map(std::borrow::Cow::into_owned))
            .transpose()?,
    })
}

/// Only the query may contain secrets: the path is shown in messages.
fn fill_url(url: &Url, to: Destination<'_>, secrets: &BoundSecrets) -> Result<Url, SecretError> {
    secrets.check_path(url.path())?;
    let mut filled = url.clone();
    if let Some(query) = url.query() {
        let query = secrets.fill(query.as_bytes(), to, SecretEncoding::Percent)?;
        filled.set_query(Some(&String::from_utf8_lossy(&query)));
    }
    Ok(filled)
}

fn fill_headers(headers: &HeaderMap, to: Destination<'_>, secrets: &BoundSecrets) -> Result<HeaderMap, NetError> {
    let mut filled = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let bytes = secrets.fill(value.as_bytes(), to, SecretEncoding::Plain)?;
        let why = "would contain a secret with characters that are not allowed in a header";
        let value =
            HeaderValue::from_bytes(&bytes).map_err(|_| NetError::Header { name: shown_text(name.as_str()), why })?;
        filled.append(name, value);
    }
    Ok(filled)
}
