//! Secrets that tools use without seeing them: a tool writes `{{secret:NAME}}`, and the host puts the value in its place on
//! the way to a server or a function that the secret is bound to. What comes back has the placeholder again.

mod decoded;
mod spellings;
#[cfg(test)]
mod tests;

pub use spellings::Spellings;
use spellings::replaced_all;

use regex::bytes::{Captures, Regex};
use std::borrow::Cow;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};
use url::{Host, Url};

/// A placeholder, as it is or as `URLSearchParams` writes it.
static PLACEHOLDER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r"(?i-u)(?:\{\{ {0,8}secret ?: ?([a-z0-9_]{1,64}) {0,8}\}\})|(?:%7B%7Bsecret(?::|%3A)([a-z0-9_]{1,64})%7D%7D)",
    )
    .ok()
});

/// How often secrets may be named in one text: a placeholder is short, a value need not be. Their number is what counts, since
/// a limit of bytes would tell how long a value is.
const MOST_NAMED: usize = 256;

/// One secret and where it may go.
#[derive(Clone)]
pub struct BoundSecret {
    name: String,
    value: String,
    servers: Vec<Server>,
    /// Of the application.
    functions: Vec<String>,
    found: Spellings,
}

/// A server that may be told a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    text: String,
    host: Host<String>,
    /// Of the scheme, where none is named.
    port: Option<u16>,
}

impl Server {
    /// Reads `host` or `host:port`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        if text.contains(['/', '?', '#', '@', '\\']) || text.trim() != text {
            return None;
        }
        // With a scheme that has no port of its own, every port that is written stays.
        let url = Url::parse(&format!("https://{text}/")).ok()?;
        let named = Url::parse(&format!("http://{text}/")).ok()?;
        let port = url.port().or_else(|| named.port());
        Some(Self { text: text.to_owned(), host: url.host()?.to_owned(), port })
    }

    fn is_at(&self, url: &Url) -> bool {
        let default = if url.scheme() == "https" { 443 } else { 80 };
        url.host().is_some_and(|host| host.to_owned() == self.host)
            && url.port_or_known_default() == Some(self.port.unwrap_or(default))
    }
}

/// Where a text with placeholders is about to go.
#[derive(Clone, Copy)]
pub enum Destination<'a> {
    /// `is_private`: nobody on the way can read along.
    Server {
        url: &'a Url,
        is_private: bool,
    },
    Function(&'a str),
}

/// How a value is written into the text around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Spelling {
    Plain,
    /// Inside a JSON string.
    Json,
    /// In the query of a URL.
    Percent,
}

/// Why a placeholder is not filled in.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Withheld {
    #[error("There is no secret '{name}'. There are: {known}")]
    Unknown { name: String, known: String },
    #[error("Security Violation: the secret '{name}' may not go to {place}. It is for {allowed}")]
    NotThere { name: String, place: String, allowed: String },
    #[error("Security Violation: the secret '{name}' may not go over http, where others can read it; use https")]
    InTheOpen { name: String },
    #[error("Secrets are named too often here, more than 256 times. Name each where it is needed")]
    TooMuch,
    #[error("A secret cannot stand in the path of a URL; put it into a header, the query or the body")]
    InPath,
}

/// All secrets of a kernel.
#[derive(Clone, Default)]
pub struct BoundSecrets(Arc<[BoundSecret]>);

impl BoundSecrets {
    #[must_use]
    pub fn new(mut secrets: Vec<BoundSecret>) -> Self {
        // The longer first: one value may begin with another.
        secrets.sort_by_key(|secret| std::cmp::Reverse(secret.value.len()));
        Self(secrets.into())
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// `text` with the values in place of the placeholders.
    ///
    /// # Errors
    /// `Withheld` when one of them has no value, or none for this destination; then nothing may be sent.
    pub fn fill<'t>(&self, text: &'t [u8], to: Destination<'_>, spelling: Spelling) -> Result<Cow<'t, [u8]>, Withheld> {
        let Some(pattern) = PLACEHOLDER.as_ref().filter(|_| !self.is_empty()) else { return Ok(Cow::Borrowed(text)) };
        let (mut withheld, mut named) = (None, 0_usize);
        let filled = pattern.replace_all(text, |found: &Captures<'_>| {
            let (name, spelling) = match (found.get(1), found.get(2)) {
                (Some(name), _) => (name.as_bytes(), spelling),
                (None, Some(name)) => (name.as_bytes(), Spelling::Percent),
                (None, None) => return Vec::new(),
            };
            named += 1;
            match self.value(&String::from_utf8_lossy(name), to) {
                Ok(_) if named > MOST_NAMED => {
                    withheld.get_or_insert(Withheld::TooMuch);
                    Vec::new()
                }
                Ok(value) => spelt(value, spelling).into_bytes(),
                Err(reason) => {
                    withheld.get_or_insert(reason);
                    Vec::new()
                }
            }
        });
        withheld.map_or(Ok(filled), Err)
    }

    /// Refuses a placeholder where none is filled in.
    ///
    /// # Errors
    /// `InPath`.
    pub fn check_path(&self, path: &str) -> Result<(), Withheld> {
        let has_one = PLACEHOLDER.as_ref().is_some_and(|pattern| pattern.is_match(path.as_bytes()));
        if has_one && !self.is_empty() { Err(Withheld::InPath) } else { Ok(()) }
    }

    /// The first secret whose placeholder is in a text.
    #[must_use]
    pub fn named_in(&self, text: &[u8]) -> Option<&str> {
        let pattern = PLACEHOLDER.as_ref().filter(|_| !self.is_empty())?;
        pattern.captures_iter(text).find_map(|found| {
            let name = found.get(1).or_else(|| found.get(2))?.as_bytes();
            self.0.iter().find(|secret| secret.name.as_bytes() == name).map(|secret| secret.name.as_str())
        })
    }

    /// `text` with the placeholder in place of every value, wherever it comes from: what is told to one server or function may
    /// come back by another.
    #[must_use]
    pub fn mask_everywhere<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        if self.is_empty() {
            return Cow::Borrowed(text);
        }
        let placeholders: Vec<_> = self.0.iter().map(BoundSecret::placeholder).collect();
        let values: Vec<_> =
            self.0.iter().zip(&placeholders).map(|(secret, put)| (&secret.found, put.as_str())).collect();
        replaced_all(text, &values)
    }

    /// The same of text.
    #[must_use]
    pub fn mask_text(&self, text: String) -> String {
        let clean = match self.mask_everywhere(text.as_bytes()) {
            Cow::Borrowed(_) => None,
            Cow::Owned(clean) => Some(clean),
        };
        clean.map_or(text, |clean| String::from_utf8_lossy(&clean).into_owned())
    }

    /// Whether the name of a header has a value in it.
    #[must_use]
    pub fn are_in_name(&self, name: &str) -> bool {
        self.0.iter().any(|secret| secret.found.is_in_name(name))
    }

    /// JSON with the same done to lists of numbers that are the bytes of a value.
    #[must_use]
    pub fn mask_numbers(&self, json: String) -> String {
        self.0.iter().fold(json, |json, secret| {
            let clean = secret.found.replaced_numbers(&json, &secret.placeholder());
            clean.unwrap_or(json)
        })
    }

    /// Whether this place may be told any of them.
    #[must_use]
    pub fn are_for(&self, place: Destination<'_>) -> bool {
        self.0.iter().any(|secret| secret.is_for(place))
    }

    /// `text` with the placeholder in place of every beginning of a value that is left where a text was cut.
    #[must_use]
    pub fn mask_beginnings<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut masked = Cow::Borrowed(text);
        for BoundSecret { name, value, .. } in self.0.iter() {
            if let Cow::Owned(clean) = mask_beginning(&masked, value, &format!("{{{{secret:{name}}}}}")) {
                masked = Cow::Owned(clean);
            }
        }
        masked
    }

    fn value(&self, name: &str, to: Destination<'_>) -> Result<&str, Withheld> {
        let Some(secret) = self.0.iter().find(|secret| secret.name == name) else {
            let known: Vec<_> = self.0.iter().map(|secret| secret.name.as_str()).collect();
            return Err(Withheld::Unknown { name: name.to_owned(), known: known.join(", ") });
        };
        if !secret.is_for(to) {
            let place = match to {
                Destination::Server { url, .. } => format!("'{}'", url.host_str().unwrap_or_default()),
                Destination::Function(name) => format!("tgp.{name}"),
            };
            return Err(Withheld::NotThere { name: name.to_owned(), place, allowed: secret.places() });
        }
        if matches!(to, Destination::Server { is_private: false, .. }) {
            return Err(Withheld::InTheOpen { name: name.to_owned() });
        }
        Ok(&secret.value)
    }
}

/// The shortest beginning of a secret that gives something of it away.
const SHORTEST_BEGINNING: usize = 8;

/// `text` with `put` in place of every piece that is at least half of `value`, from its beginning on.
#[must_use]
pub fn mask_beginning<'t>(text: &'t [u8], value: &str, put: &str) -> Cow<'t, [u8]> {
    let value = value.as_bytes();
    let least = value.len().div_ceil(2).max(SHORTEST_BEGINNING);
    let Some(needle) = value.get(..least).filter(|_| value.len() > SHORTEST_BEGINNING) else {
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

/// Where `needle` first is.
fn place_of(text: &[u8], needle: &[u8]) -> Option<usize> {
    let first = *needle.first()?;
    let mut starts = text.iter().enumerate().filter(|(_, byte)| **byte == first).map(|(at, _)| at);
    starts.find(|at| text.get(*at..).is_some_and(|rest| rest.starts_with(needle)))
}

impl BoundSecret {
    /// Nothing for a value that could not be found again in an answer.
    #[must_use]
    pub fn new(name: String, value: String, servers: Vec<Server>, functions: Vec<String>) -> Option<Self> {
        let found = Spellings::of(&value)?;
        Some(Self { name, value, servers, functions, found })
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

    fn places(&self) -> String {
        let servers = self.servers.iter().map(|server| server.text.clone());
        servers.chain(self.functions.iter().map(|name| format!("tgp.{name}"))).collect::<Vec<_>>().join(", ")
    }
}

fn spelt(value: &str, spelling: Spelling) -> String {
    match spelling {
        Spelling::Plain => value.to_owned(),
        Spelling::Json => {
            let quoted = serde_json::Value::from(value).to_string();
            quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
        }
        Spelling::Percent => value.bytes().fold(String::new(), |mut text, byte| {
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
