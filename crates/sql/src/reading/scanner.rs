//! Reads SQL text exactly as each database does. What a database could not read either is illegal; what two versions or
//! settings of it read differently is refused.

use super::cursor::{Cursor, Step, Unread, continues_name, starts_name, unterminated};
use super::dialect::{Backslash, Brackets, Lexis, Reading};
use super::token::{Kind, Token};
use crate::sql_error::{SqlError, refused};

pub struct Scanned {
    pub tokens: Vec<Token>,
    pub stopped: Option<Unread>,
}

/// What a database makes of a statement takes a hundred bytes and more for each of its words and signs.
const MAX_TOKENS: usize = 200_000;

pub fn scan(sql: &str, reading: Reading) -> Scanned {
    let mut cursor = Cursor::new(sql, reading);
    let mut stopped = None;
    while let (Some(byte), None) = (cursor.peek(0), &stopped) {
        stopped = cursor.step(byte).err();
        if cursor.tokens.len() > MAX_TOKENS {
            stopped = Some(Unread::Refused(SqlError::Unreadable(format!(
                "The statement has more than {MAX_TOKENS} words and signs. Pass the data as parameters, in several statements."
            ))));
        }
    }
    Scanned { tokens: cursor.tokens, stopped }
}

impl Cursor<'_> {
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
}
