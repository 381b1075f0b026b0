//! A place in SQL text, and the tokens before it.

use super::dialect::{Lexis, Reading};
use super::token::{Kind, Token};
use crate::sql_error::{SqlError, refused};

/// Why a text could not be read to its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Unread {
    /// The database would not read it either, and refuse the statement.
    Illegal,
    Refused(SqlError),
}

/// One token read, or a reason to stop.
pub(super) type Step = Result<(), Unread>;

/// Reads a text from its beginning. What belongs to a token is decided beside this file, by kind of token.
pub(super) struct Cursor<'a> {
    pub(super) sql: &'a str,
    /// The same, as bytes.
    pub(super) text: &'a [u8],
    /// The next byte to read.
    pub(super) at: usize,
    pub(super) reading: Reading,
    pub(super) tokens: Vec<Token>,
}

pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

pub(super) fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || byte == b'$'
}

pub(super) fn unterminated(what: &str) -> Unread {
    Unread::Refused(SqlError::Unreadable(format!("The statement has a {what} that does not end. Close it.")))
}

pub(super) fn runs_into() -> Unread {
    let advice = "Put a blank between them.";
    Unread::Refused(refused("a number or a parameter that runs into a name is read differently by databases", advice))
}

impl<'a> Cursor<'a> {
    pub(super) fn new(sql: &'a str, reading: Reading) -> Self {
        Self { sql, text: sql.as_bytes(), at: 0, reading, tokens: Vec::new() }
    }

    pub(super) fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.get(self.at + ahead).copied()
    }

    pub(super) fn is_next(&self, ahead: usize, wanted: impl Fn(u8) -> bool) -> bool {
        self.peek(ahead).is_some_and(wanted)
    }

    pub(super) fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token::new(kind, start, self.at));
    }

    pub(super) fn text_of(&self, start: usize, end: usize) -> &[u8] {
        self.text.get(start..end).unwrap_or_default()
    }

    pub(super) fn text_from(&self, start: usize) -> &[u8] {
        self.text.get(start..).unwrap_or_default()
    }

    pub(super) fn lexis(&self) -> Lexis {
        self.reading.lexis
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.is_next(0, &wanted) {
            self.at += 1;
        }
    }

    /// Whether the last token ends right here.
    pub(super) fn touches(&self, wanted: impl Fn(Kind) -> bool) -> bool {
        self.tokens.last().is_some_and(|token| token.end() == self.at && wanted(token.kind))
    }

    pub(super) fn symbol(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        self.push(Kind::Symbol(byte), start);
    }
}
