//! Scanning of words and of literals with a letter prefix.

use super::cursor::{Cursor, ScanResult, ScanStop, continues_name};
use super::name_length::check_length;
use super::token::Kind;
use crate::dialects::TextPrefix;
use crate::sql_error::refused;

/// Whether a character is invisible or looks like a space. Databases disagree on whether it is part of a name.
fn is_invisible(letter: char) -> bool {
    !letter.is_ascii()
        && (letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}'))
}

impl Cursor<'_> {
    /// Scans a word, or a literal with a letter prefix.
    pub(super) fn word(&mut self) -> ScanResult {
        let start = self.at;
        self.skip_while(continues_name);
        let word = self.sql.get(start..self.at).unwrap_or_default();
        if word.chars().any(is_invisible) {
            return Err(ScanStop::Refused(refused(
                "the statement contains a special space or an invisible character that databases read differently",
                "Use ordinary spaces.",
            )));
        }
        check_length(self.rules(), word.len())?;
        let prefixes = self.rules().text_prefixes;
        if self.peek(0) == Some(b'\'')
            && let Some((_, prefix)) = prefixes.iter().find(|(letter, _)| word.eq_ignore_ascii_case(letter))
        {
            return match prefix {
                TextPrefix::Escape => self.text_literal(start, true, Kind::EscapeText),
                TextPrefix::Plain => self.text_literal(start, false, Kind::Text),
                TextPrefix::Hex => self.hex_literal(start),
            };
        }
        if self.rules().unicode_escapes && matches!(word, "U" | "u") && self.peek(0) == Some(b'&') {
            match self.peek(1) {
                Some(b'"') => {
                    let advice = "Write the name without escapes.";
                    return Err(ScanStop::Refused(refused("a name with Unicode escapes is not accepted", advice)));
                }
                Some(b'\'') => {
                    self.at += 1;
                    return self.text_literal(start, false, Kind::Text);
                }
                Some(_) | None => {}
            }
        }
        self.push(Kind::Word, start);
        Ok(())
    }
}
