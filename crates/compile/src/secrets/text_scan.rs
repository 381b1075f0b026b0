//! Secret detection in text that is not code, or does not parse as code: data, notes, settings.

use std::sync::LazyLock;

use regex::Regex;

use super::patterns::{NO_SECRETS, find_token, has_digit, looks_secret, names_secret};
use crate::diagnostics::diagnostic::Diagnostic;
use crate::positions::source_index::Position;

/// Maximum number of findings.
const MAX_FINDINGS: usize = 20;

const HELP: &str = "Remove it, and treat it as leaked. If it is not a secret, write `tgp-ignore no-secrets: reason` on the same line or the line above; in JSON, add a member \"tgp-ignore no-secrets\": \"reason\".";

/// `name: value` and `name = value`, with or without quotes.
static NAMED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"([A-Za-z_][A-Za-z0-9_.-]{0,63})["']?\s*[:=]\s*(?:"([^"\n]{1,512})"|'([^'\n]{1,512})'|([^\s,;"'`(){}\[\]<>]{6,512}))"#).ok()
});

/// A quick filter: every name of a secret contains one of these words.
static MARKS: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new("(?i)pass|pwd|secret|credential|key|token|authorization").ok());

/// Findings of all secrets without a suppression, in line order.
pub(crate) fn scan(text: &str) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    let mut covered = false;
    for (line, number) in text.split('\n').zip(1..) {
        let suppresses = is_suppression(line);
        if !covered
            && !suppresses
            && let Some((offset, message)) = secret_in(line)
        {
            let column = line.get(..offset).map_or(1, |before| before.encode_utf16().count() + 1);
            found.push(diagnostic(number, u32::try_from(column).unwrap_or(1), message));
        }
        covered = suppresses;
        if found.len() >= MAX_FINDINGS {
            break;
        }
    }
    found
}

/// Whether a text contains a secret. Suppressions are ignored.
pub(crate) fn holds_secret(text: &str) -> bool {
    text.split('\n').any(|line| secret_in(line).is_some())
}

/// Offset and message of the first secret in a line.
fn secret_in(line: &str) -> Option<(usize, String)> {
    if let Some(offset) = find_token(line) {
        return Some((offset, "The text contains a secret".to_owned()));
    }
    let named = NAMED.as_ref().filter(|_| MARKS.as_ref().is_none_or(|marks| marks.is_match(line)))?;
    named.find_iter(line).find_map(|found| {
        // Capture groups are slower than a match, so the name is checked first.
        let end = found.as_str().find(|letter: char| !letter.is_ascii_alphanumeric() && !"_.-".contains(letter))?;
        if !names_secret(found.as_str().get(..end)?) {
            return None;
        }
        let pair = named.captures_at(line, found.start())?;
        let name = pair.get(1)?;
        let quoted = pair.get(2).or_else(|| pair.get(3));
        let value = quoted.or_else(|| pair.get(4))?.as_str();
        // An unquoted value may be prose ("the password: whatever you like"), and a token may be a plain word.
        let must_have_digit = quoted.is_none() || name.as_str().eq_ignore_ascii_case("token");
        let is_secret = looks_secret(value) && (!must_have_digit || has_digit(value));
        is_secret.then(|| (name.start(), format!("'{}' contains a secret", name.as_str())))
    })
}

/// Whether a line has a suppression with a reason.
fn is_suppression(line: &str) -> bool {
    let Some((_, rest)) = line.split_once("tgp-ignore") else { return false };
    let Some((ids, reason)) = rest.split_once(':') else { return false };
    let mut ids = ids.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '-');
    ids.any(|id| id == NO_SECRETS) && reason.chars().any(char::is_alphanumeric)
}

fn diagnostic(line: u32, column: u32, message: String) -> Diagnostic {
    let found = Diagnostic::error_at(Position { line, column }, NO_SECRETS, message);
    Diagnostic { standard: Some(7), help: Some(HELP.to_owned()), ..found }
}

#[cfg(test)]
mod tests {
    use super::{MARKS, NAMED, names_secret, scan};
    use crate::secrets::patterns::names_pattern;

    fn lines(text: &str) -> Vec<u32> {
        scan(text).iter().map(|found| found.line).collect()
    }

    #[test]
    fn secrets_in_data_are_found_by_form_and_by_name() {
        assert!(NAMED.is_some());
        for text in [
            r#"{"stripe":"sk_live_4eC39HqLyjWDarjtT1zdp7dc"}"#,
            r#"{"db":{"password":"hunter2"}}"#,
            "db_password: Tr0ub4dor3",
            "API_KEY=abc123def456",
            "key,value\nstripe,sk_live_4eC39HqLyjWDarjtT1zdp7dc".split_once('\n').unwrap().1,
        ] {
            assert_eq!(lines(text), [1], "{text}");
        }
        for text in [
            r#"{"token":"understand","name":"password"}"#,
            r#"{"password":"required","apiKey":"${KEY}"}"#,
            "The password: whatever you like.",
            "session tokens: 12",
            "",
        ] {
            assert!(lines(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_suppression_with_a_reason_covers_its_line_and_the_next() {
        let secret = r#""key": "sk_live_4eC39HqLyjWDarjtT1zdp7dc""#;
        let excused = format!("{{\n  \"tgp-ignore no-secrets\": \"a made-up key\",\n  {secret}\n}}");
        assert!(lines(&excused).is_empty());
        assert!(lines(&format!("{secret} # tgp-ignore no-secrets: made up")).is_empty());
        assert_eq!(lines(&format!("# tgp-ignore no-secrets: made up\n{secret}\n{secret}")), [3]);
        assert_eq!(lines(&format!("# tgp-ignore no-secrets:\n{secret}")), [2], "no reason");
        assert_eq!(lines(&format!("# tgp-ignore no-emails: made up\n{secret}")), [2], "another rule");
    }

    #[test]
    fn every_secret_name_contains_a_mark() {
        let marks = MARKS.as_ref().unwrap();
        for name in ["password", "dbPasswd", "PWD", "client_secret", "passphrase", "Credentials", "apiKey", "TOKEN"] {
            assert!(names_secret(name) && marks.is_match(name), "{name}");
        }
        // The words in the pattern `NAMES`.
        let words = names_pattern().split(|letter: char| !letter.is_ascii_lowercase());
        let known =
            ["api", "access", "auth", "private", "signing", "encryption", "session", "bearer", "refresh", "bot"];
        for word in words.filter(|word| !word.is_empty() && *word != "service" && !known.contains(word)) {
            assert!(marks.is_match(word), "{word}");
        }
    }

    #[test]
    fn the_number_of_findings_is_limited() {
        assert_eq!(scan(&"password: hunter22\n".repeat(1000)).len(), 20);
    }
}
