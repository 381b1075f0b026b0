//! The state of the scanner: a position in SQL text, and the tokens before it.

use super::token::{Kind, Token};
use crate::dialects::{DialectRules, LexerConfig};
use crate::sql_error::{SqlError, refused};

/// Why the scanner stopped.
#[derive(Debug, PartialEq, Eq)]
pub enum ScanStop {
    /// The text is not valid SQL for this database either.
    Illegal,
    Refused(SqlError),
}

/// The result of scanning one token.
pub(super) type ScanResult = Result<(), ScanStop>;

/// Scans a text from its start. Methods for each kind of token are in `scan_*.rs`.
pub(super) struct Cursor<'a> {
    pub(super) sql: &'a str,
    /// The bytes of `sql`.
    pub(super) text: &'a [u8],
    /// The next byte to read.
    pub(super) at: usize,
    pub(super) config: LexerConfig,
    pub(super) tokens: Vec<Token>,
}

pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

pub(super) fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || byte == b'$'
}

pub(super) fn unterminated(what: &str) -> ScanStop {
    ScanStop::Refused(SqlError::Unreadable(format!("The statement has a {what} that does not end. Close it.")))
}

pub(super) fn adjacent_name() -> ScanStop {
    let advice = "Put a space between them.";
    ScanStop::Refused(refused("databases read a number or parameter directly before a name in different ways", advice))
}

impl<'a> Cursor<'a> {
    pub(super) fn new(sql: &'a str, config: LexerConfig) -> Self {
        Self { sql, text: sql.as_bytes(), at: 0, config, tokens: Vec::new() }
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

    pub(super) fn rules(&self) -> &'static DialectRules {
        self.config.rules
    }

    pub(super) fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.is_next(0, &wanted) {
            self.at += 1;
        }
    }

    /// Whether the last token ends at the current position and satisfies `wanted`.
    pub(super) fn touches(&self, wanted: impl Fn(Kind) -> bool) -> bool {
        self.tokens.last().is_some_and(|token| token.end() == self.at && wanted(token.kind))
    }

    pub(super) fn symbol(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        self.push(Kind::Symbol(byte), start);
    }
}
