//! An SQL scanner that matches the lexer of each database. Text that the database would not accept is illegal; text that two
//! versions or settings of the database read differently is refused.

use super::cursor::{Cursor, ScanResult, ScanStop, continues_name, starts_name, unterminated};
use super::token::{Kind, Token};
use crate::dialects::{Backslash, BlockComments, Brackets, HashSign, LexerConfig};
use crate::sql_error::{SqlError, refused};

pub struct Scanned {
    pub tokens: Vec<Token>,
    pub stopped: Option<ScanStop>,
}

/// Maximum number of tokens: a database needs a hundred bytes or more for each.
const MAX_TOKENS: usize = 200_000;

pub fn scan(sql: &str, config: LexerConfig) -> Scanned {
    let mut cursor = Cursor::new(sql, config);
    let mut stopped = None;
    while let (Some(byte), None) = (cursor.peek(0), &stopped) {
        stopped = cursor.step(byte).err();
        if cursor.tokens.len() > MAX_TOKENS {
            stopped = Some(ScanStop::Refused(SqlError::Unreadable(format!(
                "The statement has more than {MAX_TOKENS} words and symbols. Pass the data as parameters, in several statements."
            ))));
        }
    }
    Scanned { tokens: cursor.tokens, stopped }
}

impl Cursor<'_> {
    fn step(&mut self, byte: u8) -> ScanResult {
        let next = self.peek(1);
        let (rules, settings) = (self.rules(), self.config.settings);
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0c => self.at += 1,
            b'-' if next == Some(b'-') && self.dashes_comment() => self.line_comment(),
            b'/' if next == Some(b'*') => self.block_comment()?,
            b'\'' => self.text_literal(self.at, settings.backslash != Backslash::Plain, Kind::Text)?,
            b'"' => self.quoted(b'"', settings.backslash == Backslash::InBoth)?,
            _ if rules.symbols.contains(&byte) => self.symbol(byte),
            b'`' => self.quoted(byte, false)?,
            b'#' => match rules.hash_sign {
                HashSign::Comment => self.line_comment(),
                HashSign::Symbol => self.symbol(byte),
                HashSign::Parameter if next.is_some_and(|byte| continues_name(byte) || byte == b':') => {
                    return Err(ScanStop::Refused(refused(
                        "the character # before a name is not accepted",
                        "Write ? or :name for a parameter, followed by a space.",
                    )));
                }
                HashSign::Parameter => return Err(ScanStop::Illegal),
            },
            b'[' => match settings.brackets {
                Brackets::Name => self.bracketed()?,
                Brackets::Symbol => self.symbol(byte),
                Brackets::Illegal => return Err(ScanStop::Illegal),
            },
            b'$' | b'?' | b':' | b'@' => self.sign(byte)?,
            _ if byte.is_ascii_digit() => self.number()?,
            b'.' if self.is_next(1, |digit| digit.is_ascii_digit()) && !self.touches(Kind::is_name) => self.number()?,
            _ if starts_name(byte) => self.word()?,
            b'(' | b')' | b',' | b';' | b'.' | b'+' | b'-' | b'*' | b'/' | b'%' | b'=' | b'<' | b'>' | b'!' | b'&'
            | b'|' | b'~' => self.symbol(byte),
            _ if byte.is_ascii_control() || rules.refused_characters.contains(&byte) => {
                return Err(ScanStop::Refused(refused(
                    "the statement contains a character that is not valid in SQL",
                    "Remove control characters, braces and backslashes, or pass the text as a parameter.",
                )));
            }
            _ => return Err(ScanStop::Illegal),
        }
        Ok(())
    }

    /// Whether `--` starts a comment.
    fn dashes_comment(&self) -> bool {
        !self.rules().dashes_need_space
            || self.peek(2).is_none_or(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control())
    }

    fn line_comment(&mut self) {
        let ends = self.rules().line_ends;
        self.skip_while(|byte| !ends.contains(&byte));
    }

    fn block_comment(&mut self) -> ScanResult {
        self.at += 2;
        let rules = self.rules();
        if rules.block_comments == BlockComments::Executable
            && (self.is_next(0, |sign| matches!(sign, b'!' | b'+'))
                || (self.is_next(0, |letter| matches!(letter, b'M' | b'm')) && self.peek(1) == Some(b'!')))
        {
            return Err(ScanStop::Refused(refused(
                format!("a comment that {} would execute (/*! … */ or /*+ … */) is not accepted", rules.name),
                "Write the statement without it.",
            )));
        }
        let nests = rules.block_comments == BlockComments::Nested;
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
