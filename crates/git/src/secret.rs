//! Secrets that are never printed.

use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;
use url::Url;

const MASK: &str = "[hidden]";

/// A token or password. Formatting and serialising it yields a mask.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The plain text, for sending it.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// `text` with every occurrence of the secret masked.
    #[must_use]
    pub fn scrub(&self, text: &str) -> String {
        if self.0.is_empty() { text.to_owned() } else { text.replace(&self.0, MASK) }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

impl fmt::Display for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(MASK)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(MASK)
    }
}

/// Masks the secrets of an address: user name, password and query of an http address, the password of others.
#[must_use]
pub fn shown_address(address: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = address.split_once("://") else { return Cow::Borrowed(address) };
    let is_http = scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https");
    if is_http && Url::parse(address).is_err() {
        // The end of the password is unknown.
        return Cow::Owned(format!("{scheme}://{MASK}"));
    }
    let info = user_info(rest);
    let after = rest.get(info.map_or(0, str::len)..).unwrap_or_default();
    let shown = match info {
        None => "",
        Some(_) if is_http => MASK,
        Some(info) => match info.split_once(':') {
            None => info,
            Some((user, _)) => return Cow::Owned(format!("{scheme}://{user}:{MASK}{after}")),
        },
    };
    match after.split_once('?') {
        Some((place, _)) if is_http => Cow::Owned(format!("{scheme}://{shown}{place}?{MASK}")),
        _ => Cow::Owned(format!("{scheme}://{shown}{after}")),
    }
}

/// The decoded password of an address, as it is sent.
#[must_use]
pub fn password_in(address: &str) -> Option<Secret> {
    let (_, password) = user_info(address.split_once("://")?.1)?.split_once(':')?;
    Some(decoded(password)).filter(|password| !password.is_empty()).map(Secret::new)
}

fn decoded(text: &str) -> String {
    // A form value without separators is percent-encoded like a URL.
    let form = text.replace('+', "%2B").replace('&', "%26").replace('=', "%3D");
    url::form_urlencoded::parse(form.as_bytes()).map(|(name, _)| name.into_owned()).collect()
}

/// The user info of an address without its scheme.
fn user_info(rest: &str) -> Option<&str> {
    let authority = rest.split(['/', '?', '#', '\\']).next()?;
    authority.rsplit_once('@').map(|(info, _)| info)
}

#[cfg(test)]
mod tests {
    use super::{Secret, password_in, shown_address};

    #[test]
    fn addresses_are_shown_without_secrets() {
        for (address, shown) in [
            ("https://bot:ghp_abc@host/a.git", "https://[hidden]@host/a.git"),
            ("https://ghp_abc@host:8443/a.git", "https://[hidden]@host:8443/a.git"),
            ("HTTPS://a:b@c@host/x@y", "HTTPS://[hidden]@host/x@y"),
            ("https://host/a.git?private_token=abc#x", "https://host/a.git?[hidden]"),
            ("https://u:p/w@host/a.git", "https://[hidden]"),
            ("ssh://git@host:22/a.git", "ssh://git@host:22/a.git"),
            ("ssh://git:pass@host/a.git", "ssh://git:[hidden]@host/a.git"),
            ("git@host:a.git", "git@host:a.git"),
            ("https://host/a@b.git", "https://host/a@b.git"),
            ("file:///tmp/a@b", "file:///tmp/a@b"),
            ("owner/name", "owner/name"),
            ("", ""),
        ] {
            assert_eq!(shown_address(address), shown, "{address}");
        }
        assert_eq!(password_in("https://bot:ghp:abc@host/x@y").unwrap().expose(), "ghp:abc");
        assert_eq!(password_in("https://bot:p%40ss+a=b&c%25@host/x").unwrap().expose(), "p@ss+a=b&c%");
        assert!(password_in("https://bot@host/a:b@c").is_none() && password_in("git@host:a.git").is_none());
    }

    #[test]
    fn secrets_are_masked_in_every_format() {
        let secret = Secret::new("ghp_abc".to_owned());
        for text in [format!("{secret:?}"), secret.to_string(), serde_json::to_string(&secret).unwrap()] {
            assert!(!text.contains("abc"), "{text}");
        }
        assert_eq!(secret.scrub("https://x:ghp_abc@host"), "https://x:[hidden]@host");
    }
}
