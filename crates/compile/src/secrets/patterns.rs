//! How keys, passwords and tokens look, and what things that hold one are called.

use std::sync::LazyLock;

use regex::Regex;

use crate::subject::words::words_of;

/// The rule that secrets break, as `tgp-ignore` comments and the configuration spell it.
pub const NO_SECRETS: &str = "no-secrets";

/// What to do instead of writing a secret down, or of having a model pass it.
pub const INSTEAD_OF_SECRETS: &str = "use a secret that the application has bound, by writing {{secret:NAME}} in the request or in the function's argument, or let the application make the call";

/// What is a secret wherever it stands.
const TOKENS: [&str; 16] = [
    r"(?-u)\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
    r"(?-u)\b[sprw]k_(?:live|test)_[A-Za-z0-9]{8,}",
    r"(?-u)\bsk-(?:[a-z]+-)*[A-Za-z0-9_-]{16,}",
    r"(?-u)\b(?:ghp|gho|ghu|ghs|ghr)_[A-Za-z0-9]{20,}",
    r"(?-u)\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"(?-u)\bglpat-[A-Za-z0-9_-]{16,}",
    r"(?-u)\bxox[abposr]-[A-Za-z0-9-]{10,}",
    r"(?-u)\bAIza[A-Za-z0-9_-]{30,}",
    r"(?-u)\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"(?-u)\bnpm_[A-Za-z0-9]{30,}",
    r"(?-u)\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"(?-u)-----BEGIN [A-Z ]*PRIVATE KEY-----",
    r"(?-u)\bhooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/",
    r"(?i-u)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}",
    r"[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@{}$]+@",
    r"(?i-u)[?&](?:api_?key|access_?token|token|secret|password)=[A-Za-z0-9._~-]{8,}",
];
/// No token is shorter.
const SHORTEST: usize = 12;

static TOKEN: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let each: Vec<String> = TOKENS.iter().map(|token| format!("(?:{token})")).collect();
    Regex::new(&each.join("|")).ok()
});

/// Names of things that must stay unknown.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^| )(?:password|passwd|pwd|secret|passphrase|credential|credentials)(?: |$)|(?:api|access|auth|private|secret|signing|encryption|session|bearer|refresh|bot|service) ?(?:key|token)|^token$|^apikey$|^authorization$").ok()
});

/// Texts that name a place for a secret, and are none.
const PLACEHOLDERS: [&str; 11] =
    ["string", "password", "secret", "token", "none", "required", "bearer", "basic", "pass", "changeme", "redacted"];

/// The offset of the first secret in a text that is one whatever its name is.
pub(crate) fn find_token(text: &str) -> Option<usize> {
    if text.len() < SHORTEST {
        return None;
    }
    let found = TOKEN.as_ref()?.find_iter(text).find(|found| is_meant(found.as_str()));
    found.map(|found| found.start())
}

/// Whether a match is more than words of the same shape.
fn is_meant(found: &str) -> bool {
    if let Some((_, login)) = found.split_once("://") {
        let password = login.trim_end_matches('@').rsplit(':').next().unwrap_or_default();
        return !is_placeholder(password);
    }
    let lower = found.to_ascii_lowercase();
    // "Basic internationalisation" is prose.
    let is_scheme = lower.starts_with("bearer") || lower.starts_with("basic");
    !is_scheme || has_digit(found)
}

/// Whether something of this name should not be known.
pub(crate) fn names_secret(name: &str) -> bool {
    let words = words_of(name).join(" ");
    NAMES.as_ref().is_some_and(|names| names.is_match(&words))
}

/// Not empty, not a word that describes, not the name of a column or header.
pub(crate) fn looks_secret(text: &str) -> bool {
    let has_symbol = text.chars().any(|letter| !letter.is_alphanumeric() && !matches!(letter, '_' | '-' | ' ' | '.'));
    text.len() >= 6
        && !text.contains(' ')
        && !is_placeholder(text)
        && (has_digit(text)
            || has_symbol
            || text.chars().any(char::is_uppercase) && text.chars().any(char::is_lowercase)
            || text.len() >= 8 && !text.contains(['_', '-', '.']))
}

pub(crate) fn has_digit(text: &str) -> bool {
    text.chars().any(|letter| letter.is_ascii_digit())
}

fn is_placeholder(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next();
    // `******`, `<your key>`, `${KEY}`, `[password]`.
    matches!(first, None | Some('<' | '[' | '$' | '{'))
        || letters.all(|letter| Some(letter) == first)
        || PLACEHOLDERS.contains(&text.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::{NAMES, TOKEN, find_token, looks_secret, names_secret};

    #[test]
    fn the_patterns_are_patterns() {
        assert!(TOKEN.is_some() && NAMES.is_some());
    }

    #[test]
    fn prose_and_placeholders_are_no_secrets() {
        for text in [
            "needs a basic understanding/of-the-matter",
            "Bearer authentication-and-authorisation",
            "postgres://user:password@localhost/db",
            "postgres://app:********@localhost/db",
            "https://example.com/a:b",
        ] {
            assert_eq!(find_token(text), None, "{text}");
        }
        assert_eq!(find_token("x: Bearer abcdefghijklmnop1234"), Some(3));
        assert!(names_secret("db_password") && !names_secret("customer_name"));
        assert!(looks_secret("hunter2") && !looks_secret("${KEY}") && !looks_secret("xxxxxxxx"));
    }
}
