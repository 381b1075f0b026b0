//! Text that must not be shown.

use serde::{Deserialize, Serialize, Serializer};
use std::fmt;

const MASK: &str = "[hidden]";

/// A token or password. Printing, formatting and serialising it shows a mask.
#[derive(Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(transparent)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub const fn new(text: String) -> Self {
        Self(text)
    }

    /// The text itself, for the one place that sends it.
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

#[cfg(test)]
mod tests {
    use super::Secret;

    #[test]
    fn no_way_of_writing_it_shows_it() {
        let secret = Secret::new("ghp_abc".to_owned());
        for text in [format!("{secret:?}"), secret.to_string(), serde_json::to_string(&secret).unwrap()] {
            assert!(!text.contains("abc"), "{text}");
        }
        assert_eq!(secret.scrub("https://x:ghp_abc@host"), "https://x:[hidden]@host");
    }
}
