//! Scanning of strings, byte strings and quoted names.

use super::cursor::{Cursor, ScanResult, ScanStop, unterminated};
use super::name_length::check_length;
use super::token::Kind;
use crate::sql_error::refused;

impl Cursor<'_> {
    /// Scans a `'…'` literal. The quote is at the current position; `start` is the start of its prefix.
    pub(super) fn text_literal(&mut self, start: usize, backslash: bool, kind: Kind) -> ScanResult {
        self.closing(b'\'', backslash)?;
        let continued = self.tokens.last().is_some_and(|token| token.kind == Kind::EscapeText);
        if continued && kind == Kind::Text {
            return Err(ScanStop::Refused(refused(
                "an escape string that continues in another literal is not accepted",
                "Pass the text as a parameter.",
            )));
        }
        self.push(kind, start);
        Ok(())
    }

    pub(super) fn quoted(&mut self, quote: u8, backslash: bool) -> ScanResult {
        let start = self.at;
        self.closing(quote, backslash)?;
        // Without the two quotes.
        check_length(self.rules(), self.at - start - 2)?;
        self.push(Kind::Quoted, start);
        Ok(())
    }

    /// Scans up to the closing quote. A doubled quote is an escaped quote.
    pub(super) fn closing(&mut self, quote: u8, backslash: bool) -> ScanResult {
        self.at += 1;
        loop {
            match self.peek(0) {
                None => return Err(unterminated("quotation")),
                Some(b'\\') if backslash => self.at += 2,
                Some(byte) if byte == quote && self.peek(1) == Some(quote) => self.at += 2,
                Some(byte) => {
                    self.at += 1;
                    if byte == quote {
                        return Ok(());
                    }
                }
            }
        }
    }

    pub(super) fn bracketed(&mut self) -> ScanResult {
        let start = self.at;
        self.skip_while(|byte| byte != b']');
        if self.peek(0).is_none() {
            return Err(unterminated("name in brackets"));
        }
        self.at += 1;
        self.push(Kind::Quoted, start);
        Ok(())
    }

    /// Scans the rest of `x'…'`, which has no doubled quotes.
    pub(super) fn hex_literal(&mut self, start: usize) -> ScanResult {
        self.at += 1;
        let digits = self.at;
        self.skip_while(|byte| byte.is_ascii_hexdigit());
        if self.peek(0) != Some(b'\'') || !(self.at - digits).is_multiple_of(2) {
            return Err(ScanStop::Illegal);
        }
        self.at += 1;
        self.push(Kind::Text, start);
        Ok(())
    }

    /// Scans the rest of a dollar-quoted string of PostgreSQL, after its opening tag.
    pub(super) fn dollar_body(&mut self, start: usize) -> ScanResult {
        let tag = self.text.get(start..self.at).unwrap_or_default();
        let rest = self.text.get(self.at..).unwrap_or_default();
        match memchr::memmem::find(rest, tag) {
            Some(found) => {
                self.at += found + tag.len();
                self.push(Kind::Text, start);
                Ok(())
            }
            None => Err(unterminated("dollar-quoted string")),
        }
    }
}
