//! Masks configured secrets, and texts that look like secrets, in texts for others.

use super::config::Config;
use std::borrow::Cow;
use tgp_base::bound_secrets::{BoundSecrets, SecretMatcher, mask_prefix};
use tgp_compile::mask_tokens;
use tgp_git::Secret;

const HIDDEN: &str = "[hidden]";
/// A shorter value would occur by chance everywhere.
const FEWEST_BYTES: usize = 4;
/// Longest text to scan at once, as this blocks Node's thread.
const MAX_TEXT_BYTES: usize = 256 << 10;

/// Finds configured secrets in all their encodings.
pub struct KnownSecrets {
    bound: BoundSecrets,
    /// Secrets of the kernel itself.
    own: Vec<(Secret, SecretMatcher)>,
}

impl KnownSecrets {
    pub fn new(config: &Config, bound: BoundSecrets) -> Self {
        let mut own = config.own_secrets();
        own.retain(|secret| secret.expose().len() >= FEWEST_BYTES);
        // Longer ones first: one may contain another.
        own.sort_by_key(|secret| std::cmp::Reverse(secret.expose().len()));
        let found =
            own.into_iter().filter_map(|secret| SecretMatcher::new(secret.expose()).map(|found| (secret, found)));
        Self { bound, own: found.collect() }
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bound.is_empty() && self.own.is_empty()
    }

    /// The text with secrets masked, configured ones and ones recognised by their form; none for a text that is too
    /// long.
    #[must_use]
    pub fn masked(&self, text: String) -> Option<String> {
        if text.len() > MAX_TEXT_BYTES {
            return None;
        }
        let known = self.without_values(text.as_bytes());
        let known = String::from_utf8_lossy(&known);
        Some(mask_tokens(&known, HIDDEN).into_owned())
    }

    /// The text with configured secrets masked, and beginnings of them at the end of a cut text.
    #[must_use]
    pub fn without_beginnings(&self, text: &str) -> String {
        let known = self.without_values(text.as_bytes());
        let mut known = self.bound.mask_prefixes(&known).into_owned();
        for (secret, _) in &self.own {
            if let Cow::Owned(clean) = mask_prefix(&known, secret.expose(), HIDDEN) {
                known = clean;
            }
        }
        String::from_utf8_lossy(&known).into_owned()
    }

    fn without_values<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut masked = self.bound.mask_bytes(text);
        for (_, found) in &self.own {
            if let Cow::Owned(clean) = found.replace(&masked, HIDDEN) {
                masked = Cow::Owned(clean);
            }
        }
        masked
    }
}

#[cfg(test)]
mod tests {
    use super::KnownSecrets;
    use crate::kernel::config::{Config, bound_secrets};

    fn known() -> KnownSecrets {
        let text = r#"{"git":{"repo":"https://bot:pass%20word%7E1@host/a.git","auth":{"token":"ghp_token"}},
            "secrets":{"KEY":{"value":"sk_live_1234","hosts":["x"]}}}"#;
        let config = Config::from_json(text).unwrap();
        KnownSecrets::new(&config, bound_secrets(&config.secrets).unwrap())
    }

    #[test]
    fn configured_secrets_are_masked_in_all_encodings() {
        let text = "ghp_token sk%5flive_1234 pass+word%7E1 pass word~1 pass%20word%7e1 other".to_owned();
        assert_eq!(known().masked(text).unwrap(), "[hidden] {{secret:KEY}} [hidden] [hidden] [hidden] other");
        assert!(known().masked("x".repeat(2 << 20)).is_none());
    }

    #[test]
    fn texts_that_look_like_secrets_are_masked() {
        let key = format!("hf_{}", "a1B2c3D4e5".repeat(3));
        assert_eq!(known().masked(format!("the key is {key}, so")).unwrap(), "the key is [hidden], so");
    }
}
