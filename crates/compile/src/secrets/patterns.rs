//! Patterns of keys, passwords and tokens, and names of variables that contain one.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use crate::rule_context::identifier_words::words_of;

/// Id of the rule against secrets, as used in `tgp-ignore` comments and in the configuration.
pub const NO_SECRETS: &str = "no-secrets";

/// Advice for messages: how to use a secret without writing it into a file or an argument.
pub const INSTEAD_OF_SECRETS: &str = "use a secret that the application has bound, by writing {{secret:NAME}} in the request or in the function's argument, or let the application make the call";

/// Keys with a known prefix. Identifiers may have the same prefix, so a match counts only with a digit near its end.
const PREFIXED: [&str; 3] = [
    // Capability tokens of this package.
    r"(?-u)\btgp_[A-Za-z0-9_-]{32,}",
    // Prefix, underscore, then letters and digits: DigitalOcean, Docker, Figma, Grafana,
    // Groq, Hugging Face, Linear, Netlify, Notion, Replicate, RubyGems, Sentry, Shopify, Stripe's webhooks, Supabase.
    r"(?-u)\b(?:do[opr]_v1|dckr_pat|figd|gl(?:sa|c)|gsk|hf|lin_(?:api|oauth)|nfp|ntn|r8|rubygems|sntry[su]|shp(?:at|ca|pa|ss)|whsec|sbp|sb_secret)_[A-Za-z0-9_=+/-]{20,}",
    // Prefix with a dash or a dot: Atlassian, Databricks, Doppler, Dropbox, other GitLab tokens, Google, Heroku, New Relic,
    // Perplexity, Postman, PyPI, Slack app tokens, Square, Vault, xAI.
    r"(?-u)\b(?:ATATT3|dapi|dp\.(?:pt|st|ct|sa|scim|audit)\.|sl\.(?:B|u\.)|gl(?:dt|rt|cbt|ptt|ft|soat|agent|oas|imt)-|GOCSPX-|ya29\.|HRKU-|NRAK-|pplx-|PMAK-|pypi-|xapp-|xoxe[.-]|sq0(?:atp|csp|idp)-|hv[sbr]\.|xai-)[A-Za-z0-9_=.-]{20,}",
];
/// Tokens that are secrets in any context.
const TOKENS: [&str; 18] = [
    // Mailgun, Twilio, Telegram, Discord, age.
    r"(?-u)\b(?:key-[0-9a-f]{32}\b|SK[0-9a-f]{32}\b|[0-9]{8,10}:AA[A-Za-z0-9_-]{32,}|[MNO][A-Za-z0-9_-]{23,25}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}|AGE-SECRET-KEY-1[A-Z0-9]{50,})",
    // Azure Storage, Discord webhooks.
    r"(?-u)\b(?:AccountKey=[A-Za-z0-9+/=]{40,}|discord(?:app)?\.com/api/webhooks/[0-9]+/[A-Za-z0-9_-]{20,})",
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
    r"(?-u)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----",
    r"(?-u)\bhooks\.slack\.com/services/T[A-Z0-9]+/B[A-Z0-9]+/[A-Za-z0-9]*",
    r"(?i-u)\b(?:bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}",
    r"[a-z][a-z0-9+.-]*://[^\s/:@]+:[^\s/:@{}$]+@",
    r"(?i-u)[?&](?:api_?key|access_?token|token|secret|password)=[A-Za-z0-9._~-]{8,}",
];
/// Minimum length of a token.
const SHORTEST: usize = 12;
/// Markers of the first and last line of a private key.
const KEY_BEGIN: &str = "-----BEGIN ";
const KEY_END: &str = "-----END ";
const DASHES: &str = "-----";
/// A key with a prefix must have a digit among this many bytes at its end.
const RANDOM_BYTES: usize = 20;

static TOKEN: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&any_of(PREFIXED.iter().chain(&TOKENS).copied())).ok());
static WHOLE_PREFIXED: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(&format!("^(?:{})$", any_of(PREFIXED.into_iter()))).ok());

fn any_of<'p>(patterns: impl Iterator<Item = &'p str>) -> String {
    patterns.map(|pattern| format!("(?:{pattern})")).collect::<Vec<String>>().join("|")
}

/// Names of variables that contain a secret, as lower-case words.
static NAMES: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r"(?:^| )(?:password|passwd|pwd|secret|passphrase|credential|credentials)(?: |$)|(?:api|access|auth|private|secret|signing|encryption|session|bearer|refresh|bot|service) ?(?:key|token)|^token$|^apikey$|^authorization$").ok()
});

/// Placeholder values, which are not secrets.
const PLACEHOLDERS: [&str; 11] =
    ["string", "password", "secret", "token", "none", "required", "bearer", "basic", "pass", "changeme", "redacted"];

/// The offset of the first token in a text that is a secret regardless of its name.
pub(crate) fn find_token(text: &str) -> Option<usize> {
    if text.len() < SHORTEST {
        return None;
    }
    let found = TOKEN.as_ref()?.find_iter(text).find(|found| is_plausible_secret(found.as_str()));
    found.map(|found| found.start())
}

/// Replaces every token in `text` that is a secret regardless of its name with `by`. Of a URL only the password is replaced.
#[must_use]
pub fn mask_tokens<'t>(text: &'t str, by: &str) -> Cow<'t, str> {
    let Some(pattern) = TOKEN.as_ref().filter(|_| text.len() >= SHORTEST) else { return Cow::Borrowed(text) };
    let (mut masked, mut from) = (String::new(), 0);
    for found in pattern.find_iter(text).filter(|found| is_plausible_secret(found.as_str())) {
        // Inside a multi-line key that is already masked.
        if found.start() < from {
            continue;
        }
        let secret = secret_part(text, found.range());
        masked.push_str(text.get(from..secret.start).unwrap_or_default());
        masked.push_str(by);
        from = secret.end;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    masked.push_str(text.get(from..).unwrap_or_default());
    Cow::Owned(masked)
}

/// The range of the secret that a match belongs to.
fn secret_part(text: &str, found: Range<usize>) -> Range<usize> {
    let matched = text.get(found.clone()).unwrap_or_default();
    if matched.starts_with(KEY_BEGIN) {
        let rest = text.get(found.end..).unwrap_or_default();
        let end = rest.find(KEY_END).map(|at| at + KEY_END.len());
        let last = end.and_then(|end| Some(end + rest.get(end..)?.find(DASHES)? + DASHES.len()));
        return found.start..last.map_or(text.len(), |last| found.end + last);
    }
    if matched.contains("://") {
        // The `@` is kept.
        let password = matched.rfind(':').map_or(0, |at| at + 1);
        return found.start + password..found.end - 1;
    }
    if matched.starts_with(['?', '&']) {
        return found.start + matched.find('=').map_or(0, |at| at + 1)..found.end;
    }
    found
}

/// Whether a match is a secret rather than prose, an identifier or a placeholder of the same shape.
fn is_plausible_secret(found: &str) -> bool {
    if let Some((_, login)) = found.split_once("://") {
        let password = login.trim_end_matches('@').rsplit(':').next().unwrap_or_default();
        return !is_placeholder(password);
    }
    if WHOLE_PREFIXED.as_ref().is_some_and(|prefixed| prefixed.is_match(found)) {
        let end = found.get(found.len().saturating_sub(RANDOM_BYTES)..);
        return has_digit(end.unwrap_or(found));
    }
    let lower = found.to_ascii_lowercase();
    // "Basic internationalisation" is prose.
    let is_scheme = lower.starts_with("bearer") || lower.starts_with("basic");
    !is_scheme || has_digit(found)
}

/// Whether a variable with this name contains a secret.
pub(crate) fn names_secret(name: &str) -> bool {
    let words = words_of(name).join(" ");
    NAMES.as_ref().is_some_and(|names| names.is_match(&words))
}

/// Whether a value looks like a password or key, rather than a placeholder, a word, or the name of a column or header.
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
pub(crate) fn names_pattern() -> &'static str {
    NAMES.as_ref().map_or("", Regex::as_str)
}

#[cfg(test)]
mod tests {
    use super::{NAMES, TOKEN, WHOLE_PREFIXED, find_token, looks_secret, mask_tokens, names_secret};

    #[test]
    fn the_patterns_compile() {
        assert!(TOKEN.is_some() && WHOLE_PREFIXED.is_some() && NAMES.is_some());
    }

    #[test]
    fn keys_are_recognised_by_their_form() {
        let (hex, word) = ("0123456789abcdef".repeat(3), "a1B2c3D4e5".repeat(6));
        let tail = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        for key in [
            format!("tgp_{word}"),
            format!("hf_{}", tail(&word, 34)),
            format!("dop_v1_{hex}"),
            format!("shpat_{}", tail(&hex, 32)),
            format!("whsec_{}", tail(&word, 32)),
            format!("gsk_{}", tail(&word, 52)),
            format!("r8_{}", tail(&word, 37)),
            format!("sbp_{}", tail(&hex, 40)),
            format!("dckr_pat_{}", tail(&word, 27)),
            format!("sntrys_{word}"),
            format!("lin_api_{}", tail(&word, 40)),
            format!("ntn_{}", tail(&word, 46)),
            format!("figd_{}", tail(&word, 40)),
            format!("glsa_{}", tail(&word, 32)),
            format!("pypi-{word}"),
            format!("hvs.{}", tail(&word, 24)),
            format!("ya29.{word}"),
            format!("GOCSPX-{}", tail(&word, 28)),
            format!("xai-{word}"),
            format!("pplx-{}", tail(&word, 48)),
            format!("dapi{}", tail(&hex, 32)),
            format!("dp.pt.{}", tail(&word, 43)),
            format!("glrt-{}", tail(&word, 20)),
            format!("ATATT3xFf{word}"),
            format!("xapp-1-{}", tail(&word, 40)),
            format!("key-{}", tail(&hex, 32)),
            format!("SK{}", tail(&hex, 32)),
            format!("123456789:AA{}", tail(&word, 33)),
            format!("M{}.{}.{}", tail(&word, 23), tail(&word, 6), tail(&word, 27)),
            format!("AGE-SECRET-KEY-1{}", "Q7".repeat(29)),
            format!("DefaultEndpointsProtocol=https;AccountKey={word}=="),
            "-----BEGIN PGP PRIVATE KEY BLOCK-----".to_owned(),
        ] {
            assert!(find_token(&format!("the key is {key}, keep it")).is_some(), "{key}");
        }
        for plain in [
            "tgp_tools and tgp_core",
            "hf_hub_download(repo_id)",
            "skill-0123 of the task-force, see key-value pairs",
            "glob-patterns-are-matched-here-and-nowhere-else",
            "a commit 0123456789abcdef0123456789abcdef01234567",
            "hf_hub_download_with_retries(repo)",
            "import x from './xai-explainability-dashboard'",
            "https://dapi-service.internal.example.com/v1",
            "pypi-server-configuration.example",
            "sl.BuildDocumentFromTemplate(x)",
            "hvs.selectedVehicleRegistration",
            "gsk_medical_reports_by_region",
            "tgp_sandbox_worker_memory_limit_megabytes",
        ] {
            assert_eq!(find_token(plain), None, "{plain}");
            assert_eq!(mask_tokens(plain, "[hidden]"), plain);
        }
    }

    #[test]
    fn masking_replaces_only_the_keys() {
        let word = "a1B2c3D4e5".repeat(4);
        for (text, masked) in [
            (format!("one hf_{word} two gsk_{word}."), "one [hidden] two [hidden]."),
            (
                "https://bot:pa55w0rd@host/a?token=abcdefgh1&x=1".to_owned(),
                "https://bot:[hidden]@host/a?token=[hidden]&x=1",
            ),
            ("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----\nb".to_owned(), "a\n[hidden]\nb"),
            ("-----BEGIN PRIVATE KEY-----\nMIIB".to_owned(), "[hidden]"),
            ("https://hooks.slack.com/services/T01/B02/abcDEF123".to_owned(), "https://[hidden]"),
            ("nothing to see here".to_owned(), "nothing to see here"),
        ] {
            assert_eq!(mask_tokens(&text, "[hidden]"), masked);
        }
    }

    #[test]
    fn prose_and_placeholders_are_not_secrets() {
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
