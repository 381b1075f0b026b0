//! A request as it is sent: with the secrets that are bound to its server.

use super::fetch_request::Checked;
use crate::net_error::{NetError, shown_text};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RANGE};
use tgp_base::bound_secrets::{BoundSecrets, Destination, SecretEncoding, SecretError};
use tgp_base::loopback::is_loopback;
use url::Url;

pub(super) struct Filled {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    pub(super) body: Option<Vec<u8>>,
}

/// The place that a request to `url` tells its secrets.
pub(super) fn place_of(url: &Url) -> Destination<'_> {
    Destination::Server { url, is_private: url.scheme() == "https" || is_loopback(url) }
}

/// # Errors
/// `SecretError` for a secret that is not for this server, `Header` for one that no header can hold and for `Range`.
pub(super) fn filled(request: &Checked, secrets: &BoundSecrets) -> Result<Filled, NetError> {
    let Checked { url, headers, body, .. } = request;
    if secrets.is_empty() {
        return Ok(Filled { url: url.clone(), headers: headers.clone(), body: body.clone() });
    }
    let to = place_of(url);
    if headers.contains_key(RANGE) {
        // A part of a secret is not found, and any server may repeat what another was given.
        let why = "is refused where secrets are bound: it would cut an answer that may repeat one. Fetch it whole";
        return Err(NetError::Header { name: RANGE.to_string(), why });
    }
    let is_json = headers.get(CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().windows(4).any(|part| part == b"json"));
    let body_spelling = if is_json { SecretEncoding::Json } else { SecretEncoding::Plain };
    Ok(Filled {
        url: filled_url(url, to, secrets)?,
        headers: filled_headers(headers, to, secrets)?,
        body: body
            .as_ref()
            .map(|body| secrets.fill(body, to, body_spelling).map(std::borrow::Cow::into_owned))
            .transpose()?,
    })
}

/// Only the query may hold one: the path says which resource it is, and is shown in messages.
fn filled_url(url: &Url, to: Destination<'_>, secrets: &BoundSecrets) -> Result<Url, SecretError> {
    secrets.check_path(url.path())?;
    let mut filled = url.clone();
    if let Some(query) = url.query() {
        let query = secrets.fill(query.as_bytes(), to, SecretEncoding::Percent)?;
        filled.set_query(Some(&String::from_utf8_lossy(&query)));
    }
    Ok(filled)
}

fn filled_headers(headers: &HeaderMap, to: Destination<'_>, secrets: &BoundSecrets) -> Result<HeaderMap, NetError> {
    let mut filled = HeaderMap::with_capacity(headers.len());
    for (name, value) in headers {
        let bytes = secrets.fill(value.as_bytes(), to, SecretEncoding::Plain)?;
        let why = "would hold a secret with characters that no header may hold";
        let value =
            HeaderValue::from_bytes(&bytes).map_err(|_| NetError::Header { name: shown_text(name.as_str()), why })?;
        filled.append(name, value);
    }
    Ok(filled)
}
