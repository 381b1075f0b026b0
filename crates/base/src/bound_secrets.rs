//! Secrets that tools use without seeing them. A tool writes the placeholder `{{secret:NAME}}`; the host replaces it with the
//! value in a request to a server or function that the secret is bound to, and masks the value in answers.

mod decoded;
mod secret_matcher;
#[cfg(test)]
mod tests;

pub use secret_matcher::SecretMatcher;
use secret_matcher::replace_all;

use regex::bytes::{Captures, Regex};
use std::borrow::Cow;
use std::fmt::{self, Write as _};
use std::sync::{Arc, LazyLock};
use url::{Host, Url};

/// Matches a placeholder, plain or as `URLSearchParams` encodes it.
static PLACEHOLDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)(?:\{\{ {0,8}secret ?: ?([a-z0-9_]{1,64}) {0,8}\}\})|(?:%7B%7Bsecret(?::|%3A)([a-z0-9_]{1,64})%7D%7D)",
    )
    .ok()
});

/// The most placeholders in one text: a value may be much longer than its placeholder. The count is limited, not the bytes,
/// since a limit of bytes would reveal the length of a value.
const MAX_PLACEHOLDERS: usize = 256;

/// One secret and the destinations that may receive it.
#[derive(Clone)]
pub struct BoundSecret {
    name: String,
    value: String,
    servers: Vec<Server>,
    /// Functions of the application.
    functions: Vec<String>,
    matcher: SecretMatcher,
}

/// A server that may receive a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    text: String,
    host: Host<String>,
    /// `None`: the default port of the scheme.
    port: Option<u16>,
}

impl Server {
    /// Reads `host` or `host:port`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.contains(['/', '?', '#', '@', '\\']) || text.trim() != text {
            return None;
        }
        // A URL parser drops the default port of its scheme, so the text is parsed with both schemes.
        let url = Url::parse(&format!("https://{text}/")).ok()?;
        let named = Url::parse(&format!("http://{text}/")).ok()?;
        let port = url.port().or_else(|| named.port());
        Some(Self { text: text.to_owned(), host: url.host()?.to_owned(), port })
    }

    fn is_at(&self, url: &Url) -> bool {
        url.host().is_some_and(|host| host.to_owned() == self.host)
            && url.port_or_known_default() == self.port.or_else(|| default_port(url))
    }

    /// The server with its port, as for a request to `url`.
    fn beside(&self, url: &Url) -> String {
        match (self.port, default_port(url)) {
            (None, Some(port)) => format!("{}:{port}", self.text),
            _ => self.text.clone(),
        }
    }
}

/// The default port of a URL's scheme.
fn default_port(url: &Url) -> Option<u16> {
    match url.scheme() {
        "https" => Some(443),
        "http" => Some(80),
        _ => None,
    }
}

/// The destination of a text with placeholders.
#[derive(Clone, Copy)]
pub enum Destination<'a> {
    /// `is_private`: the connection is encrypted or local.
    Server {
        url: &'a Url,
        is_private: bool,
    },
    Function(&'a str),
}

/// Servers have their port: two may differ in it alone.
impl fmt::Display for Destination<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Server { url, .. } => {
                write!(formatter, "'{}", url.host_str().unwrap_or_default())?;
                if let Some(port) = url.port_or_known_default() {
                    write!(formatter, ":{port}")?;
                }
                formatter.write_str("'")
            }
            Self::Function(name) => write!(formatter, "tgp.{name}"),
        }
    }
}

/// How a value is encoded in the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretEncoding {
    Plain,
    /// Inside a JSON string.
    Json,
    /// In the query of a URL.
    Percent,
}

/// Why a placeholder is not replaced.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    #[error("The secret '{name}' does not exist. Known secrets: {known}")]
    Unknown { name: String, known: String },
    #[error("Security Violation: the secret '{name}' may not be sent to {place}. Allowed: {allowed}")]
    WrongDestination { name: String, place: String, allowed: String },
    #[error("Security Violation: the secret '{name}' may not be sent over unencrypted http. Use https")]
    Insecure { name: String },
    #[error("The text has more than 256 secret placeholders. Remove those that are not needed")]
    TooManyPlaceholders,
    #[error("The path of a URL cannot contain a secret. Put it into a header, the query or the body")]
    InPath,
}

/// All secrets of a kernel.
#[derive(Clone, Default)]
pub struct BoundSecrets(Arc<[BoundSecret]>);

impl BoundSecrets {
    #[must_use]
    pub fn new(mut secrets: Vec<BoundSecret>) -> Self {
        // Longer values first: one value may begin with another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
        Self(secrets.into())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the placeholders in `text` by their values.
    ///
    /// # Errors
    /// `SecretError` for an unknown secret or one that is not bound to this destination; then the text must not be sent.
    pub fn fill<'t>(
        &self,
        text: &'t [u8],
        to: Destination<'_>,
        encoding: SecretEncoding,
    ) -> Result<Cow<'t, [u8]>, SecretError> {
        let Some(pattern) = PLACEHOLDER.as_ref().filter(|_| !self.is_empty()) else { return Ok(Cow::Borrowed(text)) };
        let (mut refused, mut named) = (None, 0_usize);
        let filled = pattern.replace_all(text, |found: &Captures<'_>| {
            let (name, encoding) = match (found.get(1), found.get(2)) {
                (Some(name), _) => (name.as_bytes(), encoding),
                (None, Some(name)) => (name.as_bytes(), SecretEncoding::Percent),
                (None, None) => return Vec::new(),
            };
            named += 1;
            match self.value(&String::from_utf8_lossy(name), to) {
                Ok(_) if named > MAX_PLACEHOLDERS => {
                    refused.get_or_insert(SecretError::TooManyPlaceholders);
                    Vec::new()
                }
                Ok(value) => encoded(value, encoding).into_bytes(),
                Err(reason) => {
                    refused.get_or_insert(reason);
                    Vec::new()
                }
            }
        });
        refused.map_or(Ok(filled), Err)
    }

    /// Rejects placeholders in the path of a URL, where they are not replaced.
    ///
    /// # Errors
    /// `InPath`.
    pub fn check_path(&self, path: &str) -> Result<(), SecretError> {
        let has_one = PLACEHOLDER.as_ref().is_some_and(|pattern| pattern.is_match(path.as_bytes()));
        if has_one && !self.is_empty() { Err(SecretError::InPath) } else { Ok(()) }
    }

    /// The name of the first known secret whose placeholder is in `text`.
    #[must_use]
    pub fn first_named_in(&self, text: &[u8]) -> Option<&str> {
        let pattern = PLACEHOLDER.as_ref().filter(|_| !self.is_empty())?;
        pattern.captures_iter(text).find_map(|found| {
            let name = found.get(1).or_else(|| found.get(2))?.as_bytes();
            self.0.iter().find(|secret| secret.name.as_bytes() == name).map(|secret| secret.name.as_str())
        })
    }

    /// Replaces every secret value in `text` by its placeholder, whatever the source of the text: a value sent to one server
    /// may come back from another.
    #[must_use]
    pub fn mask_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let placeholders: Vec<_> = self.0.iter().map(BoundSecret::placeholder).collect();
        let values: Vec<_> =
            self.0.iter().zip(&placeholders).map(|(secret, put)| (&secret.matcher, put.as_str())).collect();
        replace_all(text, &values)
    }

    /// [`Self::mask_bytes`] for a `String`.
    #[must_use]
    pub fn mask_text(&self, text: String) -> String {
        let clean = match self.mask_bytes(text.as_bytes()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        };
        clean.map_or(text, |clean| String::from_utf8_lossy(&clean).into_owned())
    }

    /// Whether a header name contains a secret value.
    #[must_use]
    pub fn any_in_header_name(&self, name: &str) -> bool {
        self.0.iter().any(|secret| secret.matcher.is_in_header_name(name))
    }

    /// Replaces JSON lists of numbers that are the bytes of a value by the bytes of its placeholder.
    #[must_use]
    pub fn mask_byte_lists(&self, json: String) -> String {
        self.0.iter().fold(json, |json, secret| {
            let clean = secret.matcher.replace_byte_lists(&json, &secret.placeholder());
            clean.unwrap_or(json)
        })
    }

    /// Whether any secret is bound to this destination.
    #[must_use]
    pub fn any_for(&self, place: Destination<'_>) -> bool {
        self.0.iter().any(|secret| secret.is_for(place))
    }

    /// Replaces prefixes of values, which remain where a text was truncated, by the placeholder.
    #[must_use]
    pub fn mask_prefixes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut masked = Cow::Borrowed(text);
        for BoundSecret { name, value, .. } in self.0.iter() {
            if let Cow::Owned(clean) = mask_prefix(&masked, value, &format!("{{{{secret:{name}}}}}")) {
                masked = Cow::Owned(clean);
            }
        }
        masked
    }

    fn value(&self, name: &str, to: Destination<'_>) -> Result<&str, SecretError> {
        let Some(secret) = self.0.iter().find(|secret| secret.name == name) else {
            let known: Vec<_> = self.0.iter().map(|secret| secret.name.as_str()).collect();
            return Err(SecretError::Unknown { name: name.to_owned(), known: known.join(", ") });
        };
        if !secret.is_for(to) {
            let (place, allowed) = (to.to_string(), secret.places(to));
            return Err(SecretError::WrongDestination { name: name.to_owned(), place, allowed });
        }
        if matches!(to, Destination::Server { is_private: false, .. }) {
            return Err(SecretError::Insecure { name: name.to_owned() });
        }
        Ok(&secret.value)
    }
}

/// Shorter prefixes of a secret are not masked.
const MIN_PREFIX: usize = 8;

/// Replaces every prefix of `value` that is at least half of it by `put`.
#[must_use]
pub fn mask_prefix<'t>(text: &'t [u8], value: &str, put: &str) -> Cow<'t, [u8]> {
    let value = value.as_bytes();
    let least = value.len().div_ceil(2).max(MIN_PREFIX);
    let Some(needle) = value.get(..least).filter(|_| value.len() > MIN_PREFIX) else {
        return Cow::Borrowed(text);
    };
    let mut masked = Vec::new();
    let mut rest = text;
    while let Some((before, found)) = place_of(rest, needle).and_then(|at| rest.split_at_checked(at)) {
        let same = found.iter().zip(value).take_while(|(one, other)| one == other).count();
        masked.extend_from_slice(before);
        masked.extend_from_slice(put.as_bytes());
        rest = found.get(same..).unwrap_or_default();
    }
    if masked.is_empty() && rest.len() == text.len() {
        return Cow::Borrowed(text);
    }
    masked.extend_from_slice(rest);
    Cow::Owned(masked)
}

/// The first position of `needle`.
fn place_of(text: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut starts = text.iter().enumerate().filter(|(_, byte)| **byte == first).map(|(at, _)| at);
    starts.find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(needle)))
}

impl BoundSecret {
    /// `None` for a value that is too long to be masked in answers.
    #[must_use]
    pub fn new(name: String, value: String, servers: Vec<Server>, functions: Vec<String>) -> Option<Self> {
        let matcher = SecretMatcher::new(&value)?;
        Some(Self { name, value, servers, functions, matcher })
    }

    fn placeholder(&self) -> String {
        format!("{{{{secret:{}}}}}", self.name)
    }

    fn is_for(&self, place: Destination<'_>) -> bool {
        match place {
            Destination::Server { url, .. } => self.servers.iter().any(|server| server.is_at(url)),
            Destination::Function(name) => self.functions.iter().any(|function| function == name),
        }
    }

    /// The permitted destinations, as in the refusal of a request to `to`.
    fn places(&self, to: Destination<'_>) -> String {
        let servers = self.servers.iter().map(|server| match to {
            Destination::Server { url, .. } => server.beside(url),
            Destination::Function(_) => server.text.clone(),
        });
        servers.chain(self.functions.iter().map(|name| format!("tgp.{name}"))).collect::<Vec<_>>().join(", ")
    }
}

fn encoded(value: &str, encoding: SecretEncoding) -> String {
    match encoding {
        SecretEncoding::Plain => value.to_owned(),
        SecretEncoding::Json => {
            let quoted = serde_json::Value::from(value).to_string();
            quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
        }
        SecretEncoding::Percent => value.bytes().fold(String::new(), |mut text, byte| {
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                text.push(char::from(byte));
            } else {
                // Writing to a String does not fail.
                let _ = write!(text, "%{byte:02X}");
            }
            text
        }),
    }
}
