//! Words, and what a letter in front of a literal makes of it.

use super::cursor::{Cursor, Step, Unread, continues_name};
use super::dialect::Lexis;
use super::name_length::{long_name, too_long};
use super::token::Kind;
use crate::sql_error::refused;

/// Letters that look like nothing or like a blank. Databases disagree on whether they are part of a name.
fn is_odd(letter: char) -> bool {
    !letter.is_ascii()
        && (letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}'))
}

impl Cursor<'_> {
    /// A word, or the letter in front of a literal.
    pub(super) fn word(&mut self) -> Step {
        let start = self.at;
        self.skip_while(continues_name);
        let word = self.sql.get(start..self.at).unwrap_or_default();
        if word.chars().any(is_odd) {
            return Err(Unread::Refused(refused(
                "the statement holds a blank or an invisible letter that databases read differently",
                "Write plain blanks.",
            )));
        }
        if too_long(self.lexis(), word.len()) {
            return Err(Unread::Refused(long_name()));
        }
        if self.peek(0) == Some(b'\'') {
            match (self.lexis(), word) {
                (Lexis::Postgres, "E" | "e") => return self.text_literal(start, true, Kind::EscapeText),
                (Lexis::Postgres, "B" | "b" | "X" | "x" | "N" | "n") => {
                    return self.text_literal(start, false, Kind::Text);
                }
                (Lexis::Sqlite, "X" | "x") => return self.hex_literal(start),
                (Lexis::Sqlite | Lexis::Postgres | Lexis::Mysql, _) => {}
            }
        }
        if self.lexis() == Lexis::Postgres && matches!(word, "U" | "u") && self.peek(0) == Some(b'&') {
            match self.peek(1) {
                Some(b'"') => {
                    let advice = "Write the name plainly.";
                    return Err(Unread::Refused(refused("a name with Unicode escapes is not accepted", advice)));
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
