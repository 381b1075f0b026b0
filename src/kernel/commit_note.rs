//! Commit trailers: the reason, session and model of a change.

use super::secret_scan::SecretScan;
use crate::kernel::door::TRAILER;
use serde::Deserialize;
use tgp_base::error::{Error, ErrorCode};

/// Longest reason, and longest name of a session or model.
const MAX_WHY_CHARS: usize = 200;
const MAX_NAME_CHARS: usize = 100;

const WHY: &str = "TGP-Why";
const SESSION: &str = "TGP-Session";
const MODEL: &str = "TGP-Model";

/// The note of a caller on a change. All fields are untrusted text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(deny_unknown_fields)]
pub struct CommitNote {
    pub why: Option<String>,
    pub session: Option<String>,
    pub model: Option<String>,
}

impl CommitNote {
    /// # Errors
    /// `Validation` for anything that is not a note.
    pub fn from_json(json: Option<&str>) -> Result<Self, Error> {
        json.map_or_else(
            || Ok(Self::default()),
            |json| {
                serde_json::from_str(json).map_err(|error| {
                    Error::new(ErrorCode::Validation, format!("The commit note is not valid: {error}."))
                })
            },
        )
    }

    /// The message of a commit with this subject.
    pub fn message(&self, subject: &str, secrets: &SecretScan) -> String {
        let line = |key: &str, text: &Option<String>, most: usize| {
            let text = one_line(text.as_deref().unwrap_or_default(), most);
            let is_written = !text.is_empty() && secrets.findings_in_words(key, &text).is_empty();
            is_written.then(|| format!("{key}: {text}"))
        };
        let lines = [
            line(WHY, &self.why, MAX_WHY_CHARS),
            line(SESSION, &self.session, MAX_NAME_CHARS),
            line(MODEL, &self.model, MAX_NAME_CHARS),
        ];
        let trailers: Vec<String> = lines.into_iter().flatten().collect();
        if trailers.is_empty() { subject.to_owned() } else { format!("{subject}\n\n{}", trailers.join("\n")) }
    }

    /// A message without its note, and the note.
    pub fn split(message: &str) -> (String, Self) {
        let mut note = Self::default();
        let Some((text, last)) = message.trim_end().rsplit_once("\n\n") else { return (message.to_owned(), note) };
        let mut others = Vec::new();
        // The ledger trailer is not part of the note.
        for line in last.lines().filter(|line| !line.starts_with(TRAILER)) {
            let place = match line.split_once(": ") {
                Some((WHY, value)) => Some((&mut note.why, value)),
                Some((SESSION, value)) => Some((&mut note.session, value)),
                Some((MODEL, value)) => Some((&mut note.model, value)),
                Some(_) | None => None,
            };
            match place {
                // Commits come from other authors too, so the same bounds apply.
                Some((place, value)) => *place = Some(one_line(value, MAX_WHY_CHARS)),
                None => others.push(line),
            }
        }
        if others.len() == last.lines().count() {
            return (message.to_owned(), note);
        }
        let rest =
            if others.is_empty() { text.trim_end().to_owned() } else { format!("{text}\n\n{}", others.join("\n")) };
        (rest, note)
    }
}

/// Untrusted text as one bounded line, without control, bidirectional or invisible characters.
fn one_line(text: &str, most: usize) -> String {
    let is_odd = |letter: char| {
        letter.is_control()
            || letter.is_whitespace()
            || matches!(letter, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}')
    };
    // Bounds the work for a very long text.
    let plain: String = text.chars().take(most * 8).map(|letter| if is_odd(letter) { ' ' } else { letter }).collect();
    let words = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    if words.chars().count() <= most {
        return words;
    }
    let cut: String = words.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", cut.trim_end())
}

#[cfg(test)]
mod tests {
    use super::CommitNote;
    use crate::kernel::secret_scan::SecretScan;
    use std::sync::Arc;
    use tgp_compile::{Compiler, LintOptions};

    fn message(note: &CommitNote) -> String {
        note.message("Forge: a", &SecretScan::new(&Arc::new(Compiler::new()), &LintOptions::default()))
    }

    #[test]
    fn a_note_round_trips() {
        let note =
            CommitNote { why: Some("faster".to_owned()), session: Some("s1".to_owned()), model: Some("m".to_owned()) };
        let text = message(&note);
        assert_eq!(text, "Forge: a\n\nTGP-Why: faster\nTGP-Session: s1\nTGP-Model: m");
        assert_eq!(CommitNote::split(&text), ("Forge: a".to_owned(), note));
        assert_eq!(message(&CommitNote::default()), "Forge: a");
        let signed = "Subject\n\nText: of it.\n\nTGP-Model: m\nSigned-off-by: x";
        let (rest, note) = CommitNote::split(signed);
        assert_eq!((rest.as_str(), note.model.as_deref()), ("Subject\n\nText: of it.\n\nSigned-off-by: x", Some("m")));
        for plain in ["Subject", "Subject\n\nBody: text", ""] {
            assert_eq!(CommitNote::split(plain), (plain.to_owned(), CommitNote::default()));
        }
    }

    #[test]
    fn hostile_text_stays_one_short_line() {
        let why = format!("a\r\n\r\nTGP-Session: forged\u{2028}b\u{202e}c\0 {}", "x".repeat(100_000));
        let text = message(&CommitNote { why: Some(why), session: Some("\n\n".to_owned()), model: None });
        let (subject, note) = text.split_once("\n\n").unwrap();
        assert_eq!(subject, "Forge: a");
        assert!(note.starts_with("TGP-Why: a TGP-Session: forged b c x") && note.lines().count() == 1, "{note}");
        assert!(note.chars().count() < 250 && note.ends_with('…'));
    }

    #[test]
    fn a_note_with_a_secret_is_left_out() {
        for why in ["uses sk_live_4eC39HqLyjWDarjtT1zdp7dc now", "sk_live_4eC39HqLyjWDarjtT1zdp7dc"] {
            let why = Some(why.to_owned());
            assert_eq!(message(&CommitNote { why, ..CommitNote::default() }), "Forge: a");
        }
    }
}
