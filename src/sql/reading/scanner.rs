//! Reads SQL text exactly as each database does. What a database could not read either is illegal; what two versions or
//! settings of it read differently is refused.

use super::dialect::{Backslash, Brackets, Lexis, Reading};
use super::token::{Kind, Token};
use crate::sql::sql_error::{SqlError, refused};

/// Why a text could not be read to its end.
#[derive(Debug, PartialEq, Eq)]
pub enum Unread {
    /// The database would not read it either, and refuse the statement.
    Illegal,
    Refused(SqlError),
}

pub struct Scanned {
    pub tokens: Vec<Token>,
    pub stopped: Option<Unread>,
}

type Step = Result<(), Unread>;

/// What a database makes of a statement takes a hundred bytes and more for each of its words and signs.
const MAX_TOKENS: usize = 100_000;

pub fn scan(sql: &str, reading: Reading) -> Scanned {
    let mut scanner = Scanner { sql, text: sql.as_bytes(), at: 0, reading, tokens: Vec::new() };
    let mut stopped = None;
    while let (Some(byte), None) = (scanner.peek(0), &stopped) {
        stopped = scanner.step(byte).err();
        if scanner.tokens.len() > MAX_TOKENS {
            stopped = Some(Unread::Refused(SqlError::Unreadable(format!(
                "The statement has more than {MAX_TOKENS} words and signs. Pass the data as parameters, in several statements."
            ))));
        }
    }
    Scanned { tokens: scanner.tokens, stopped }
}

pub(super) struct Scanner<'a> {
    sql: &'a str,
    text: &'a [u8],
    pub(super) at: usize,
    reading: Reading,
    tokens: Vec<Token>,
}

pub(super) fn starts_name(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || !byte.is_ascii()
}

pub(super) fn continues_name(byte: u8) -> bool {
    starts_name(byte) || byte.is_ascii_digit() || byte == b'$'
}

/// Letters that look like nothing or like a blank. Databases disagree on whether they are part of a name.
fn is_odd(letter: char) -> bool {
    !letter.is_ascii()
        && (letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '\u{ad}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}' | '\u{feff}'))
}

fn unterminated(what: &str) -> Unread {
    Unread::Refused(SqlError::Unreadable(format!("The statement has a {what} that does not end. Close it.")))
}

pub(super) fn runs_into() -> Unread {
    let advice = "Put a blank between them.";
    Unread::Refused(refused("a number or a parameter that runs into a name is read differently by databases", advice))
}

impl Scanner<'_> {
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

    fn step(&mut self, byte: u8) -> Step {
        let next = self.peek(1);
        let lexis = self.lexis();
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => self.at += 1,
            b'-' if next == Some(b'-') && self.dashes_comment() => self.line_comment(),
            b'#' if lexis == Lexis::Mysql => self.line_comment(),
            b'/' if next == Some(b'*') => self.block_comment()?,
            b'\'' => self.text_literal(self.at, self.reading.backslash != Backslash::Plain, Kind::Text)?,
            b'"' => self.quoted(b'"', self.reading.backslash == Backslash::InBoth)?,
            b'`' if lexis != Lexis::Postgres => self.quoted(b'`', false)?,
            b'[' => match self.reading.brackets {
                Brackets::Name => self.bracketed()?,
                Brackets::Symbol => self.symbol(byte),
                Brackets::Illegal => return Err(Unread::Illegal),
            },
            b'$' | b'?' | b':' | b'@' => self.sign(byte)?,
            _ if byte.is_ascii_digit() => self.number()?,
            b'.' if self.is_next(1, |digit| digit.is_ascii_digit()) && !self.touches(Kind::is_name) => self.number()?,
            _ if starts_name(byte) => self.word()?,
            b'(' | b')' | b',' | b';' | b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'!' | b'&'
            | b'|' | b'~' => self.symbol(byte),
            b'^' if lexis != Lexis::Sqlite => self.symbol(byte),
            b'#' | b'`' | b']' if lexis == Lexis::Postgres => self.symbol(byte),
            // SQLite takes `#name` for a parameter, in Tcl's spelling too.
            b'#' if lexis == Lexis::Sqlite && next.is_some_and(|byte| continues_name(byte) || byte == b':') => {
                return Err(Unread::Refused(refused(
                    "a sign # before a name is not accepted",
                    "Write ? or :name for a parameter, and a blank before what follows.",
                )));
            }
            _ if byte.is_ascii_control() || (lexis == Lexis::Mysql && matches!(byte, b'{' | b'}' | b'\\')) => {
                return Err(Unread::Refused(refused(
                    "the statement holds a character that has no place in SQL",
                    "Leave out control characters, braces and backslashes, or pass the text as a parameter.",
                )));
            }
            _ => return Err(Unread::Illegal),
        }
        Ok(())
    }

    pub(super) fn symbol(&mut self, byte: u8) {
        let start = self.at;
        self.at += 1;
        self.push(Kind::Symbol(byte), start);
    }

    /// Whether `--` begins a comment here: MySQL wants a blank behind it, so that `5--1` is six.
    fn dashes_comment(&self) -> bool {
        self.lexis() != Lexis::Mysql
            || self.peek(2).is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
    }

    fn line_comment(&mut self) {
        let ends_at_return = self.lexis() == Lexis::Postgres;
        self.skip_while(|byte| byte != b'\n' && !(byte == b'\r' && ends_at_return));
    }

    fn block_comment(&mut self) -> Step {
        self.at += 2;
        if self.lexis() == Lexis::Mysql
            && (self.is_next(0, |sign| matches!(sign, b'!' | b'+'))
                || (self.is_next(0, |letter| matches!(letter, b'M' | b'm')) && self.peek(1) == Some(b'!')))
        {
            return Err(Unread::Refused(refused(
                "a comment that MySQL would execute (/*! … */ or /*+ … */) is not accepted",
                "Write the statement without it.",
            )));
        }
        let nests = self.lexis() == Lexis::Postgres;
        let mut depth = 1_usize;
        while depth > 0 {
            match (self.peek(0), self.peek(1)) {
                (Some(b'*'), Some(b'/')) => {
                    depth -= 1;
                    self.at += 2;
                }
                (Some(b'/'), Some(b'*')) if nests => {
                    depth += 1;
                    self.at += 2;
                }
                (Some(_), _) => self.at += 1,
                (None, _) => return Err(unterminated("comment")),
            }
        }
        Ok(())
    }

    /// A `'…'` literal; the quote is at the present position, and `start` is where its prefix begins.
    fn text_literal(&mut self, start: usize, backslash: bool, kind: Kind) -> Step {
        self.closing(b'\'', backslash)?;
        let continued = self.tokens.last().is_some_and(|token| token.kind == Kind::EscapeText);
        if continued && kind == Kind::Text {
            return Err(Unread::Refused(refused(
                "an escape string that goes on in another literal is not accepted",
                "Pass the text as a parameter.",
            )));
        }
        self.push(kind, start);
        Ok(())
    }

    fn quoted(&mut self, quote: u8, backslash: bool) -> Step {
        let start = self.at;
        self.closing(quote, backslash)?;
        // Two quotes around what is cut off.
        if too_long(self.lexis(), self.at - start - 2) {
            return Err(Unread::Refused(long_name()));
        }
        self.push(Kind::Quoted, start);
        Ok(())
    }

    /// Reads up to the closing quote, where a doubled quote stands for itself.
    fn closing(&mut self, quote: u8, backslash: bool) -> Step {
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

    fn bracketed(&mut self) -> Step {
        let start = self.at;
        self.skip_while(|byte| byte != b']');
        if self.peek(0).is_none() {
            return Err(unterminated("name in brackets"));
        }
        self.at += 1;
        self.push(Kind::Quoted, start);
        Ok(())
    }

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

    /// The bytes of `x'…'`, which know no doubled quotes.
    fn hex_literal(&mut self, start: usize) -> Step {
        self.at += 1;
        let digits = self.at;
        self.skip_while(|byte| byte.is_ascii_hexdigit());
        if self.peek(0) != Some(b'\'') || !(self.at - digits).is_multiple_of(2) {
            return Err(Unread::Illegal);
        }
        self.at += 1;
        self.push(Kind::Text, start);
        Ok(())
    }

    /// The rest of a dollar-quoted string of PostgreSQL; `tag` is its opening with both signs.
    pub(super) fn dollar_body(&mut self, start: usize) -> Step {
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

fn long_name() -> SqlError {
    refused("a name of more than 63 bytes, which PostgreSQL would cut off, is not accepted", "Write the name itself.")
}

/// Names longer than this PostgreSQL cuts off, so that two spellings are one table.
const MAX_NAME_BYTES: usize = 63;

fn too_long(lexis: Lexis, bytes: usize) -> bool {
    lexis == Lexis::Postgres && bytes > MAX_NAME_BYTES
}
