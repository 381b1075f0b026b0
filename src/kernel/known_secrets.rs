//! Secrets that the configuration names, taken out of what is told to others.

use super::config::Config;
use std::borrow::Cow;
use tgp_base::bound_secrets::{BoundSecrets, Spellings};

const HIDDEN: &str = "[hidden]";
/// A shorter one would be found by chance everywhere.
const FEWEST_BYTES: usize = 4;
/// Longest text that is looked through at once: whoever asks waits for it.
const MOST_TEXT_BYTES: usize = 1 << 20;

/// Finds the values that are secret by the configuration, however they are written.
pub struct KnownSecrets {
    bound: BoundSecrets,
    others: Vec<Spellings>,
}

impl KnownSecrets {
    pub fn new(config: &Config, bound: BoundSecrets) -> Self {
        let mut others = config.own_secrets();
        others.retain(|secret| secret.expose().len() >= FEWEST_BYTES);
        // The longer first: one may hold another.
        others.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        Self { bound, others: others.iter().filter_map(|secret| Spellings::of(secret.expose())).collect() }
    }

    /// The text without them; nothing of one that is too long.
    #[must_use]
    pub fn masked(&self, text: String) -> Option<String> {
        if text.len() > MOST_TEXT_BYTES {
            return None;
        }
        Some(self.others.iter().fold(self.bound.mask_text(text), |text, secret| {
            let clean = match secret.replaced(text.as_bytes(), HIDDEN) {
                Cow::Borrowed(_) => None,
                Cow::Owned(clean) => Some(clean),
            };
            clean.map_or(text, |clean| String::from_utf8_lossy(&clean).into_owned())
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::KnownSecrets;
    use crate::kernel::config::{Config, bound_secrets};

    #[test]
    fn bound_values_tokens_and_passwords_are_taken_out() {
        let text = r#"{"git":{"repo":"https://bot:pass word~1@host/a.git","auth":{"token":"ghp_token"}},
            "secrets":{"KEY":{"value":"sk_live_1234","hosts":["x"]}}}"#;
        let config = Config::from_json(text).unwrap();
        let known = KnownSecrets::new(&config, bound_secrets(&config.secrets).unwrap());
        let text = "ghp_token sk%5flive_1234 pass+word%7E1 other".to_owned();
        assert_eq!(known.masked(text).unwrap(), "[hidden] {{secret:KEY}} [hidden] other");
        assert!(known.masked("x".repeat(2 << 20)).is_none());
    }
}
