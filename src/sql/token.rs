//! SQL text as tokens, the way each database reads it.

use super::dialect::{Backslash, Lexis, Reading};
use super::sql_error::SqlError;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or a bare identifier, in upper case.
    Word(String),
    /// A quoted identifier, without its quotes.
    Quoted(String),
    /// A string, number or other literal.
    Literal,
    /// An escape string of PostgreSQL, whose continuation on the next line is one too.
    EscapeString,
    Placeholder(Placeholder),
    Symbol(char),
}

/// A place for a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Placeholder {
    /// `?`
    Next,
    /// `?2` or `$2`, counted from 1.
    Numbered(usize),
    /// `:name`, `$name` or `@name`.
    Named(String),
}

/// A token and where it stands, counted in characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub start: usize,
    pub end: usize,
}

/// Longer statements are data in the wrong place.
const MOST_CHARS: usize = 1 << 20;

/// The tokens of a text, without blanks and comments.
pub fn tokenise(sql: &str, reading: Reading) -> Result<Vec<Token>, SqlError> {
    let mut scanner = Scanner { text: sql.chars().collect(), at: 0, reading, tokens: Vec::new() };
    if scanner.text.len() > MOST_CHARS {
        return Err(SqlError::Unreadable(format!(
            "The statement is longer than {MOST_CHARS} characters. Pass the data as parameters, in several statements."
        )));
    }
    if scanner.text.contains(&'\0') {
        return Err(refused("a statement may not hold a NUL character", "Remove it."));
    }
    while let Some(letter) = scanner.peek(0) {
        scanner.step(letter)?;
    }
    Ok(scanner.tokens)
}

pub(super) fn refused(what: impl Into<String>, advice: &'static str) -> SqlError {
    SqlError::Refused { what: what.into(), advice }
}

struct Scanner {
    text: Vec<char>,
    at: usize,
    reading: Reading,
    tokens: Vec<Token>,
}

/// What every database skips; other blanks of Unicode are parts of names to them.
fn blank(letter: char) -> bool {
    letter.is_ascii_whitespace() || letter == '\u{b}'
}

fn starts_word(letter: char) -> bool {
    letter.is_alphabetic() || letter == '_' || !letter.is_ascii()
}

impl Scanner {
    fn peek(&self, ahead: usize) -> Option<char> {
        self.text.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: Kind, start: usize) {
        self.tokens.push(Token { kind, start, end: self.at });
    }

    fn is(&self, lexis: Lexis) -> bool {
        self.reading.lexis == lexis
    }

    fn step(&mut self, letter: char) -> Result<(), SqlError> {
        let next = self.peek(1);
        match letter {
            _ if blank(letter) => self.at += 1,
            '-' if next == Some('-') && self.dashes_comment() => self.line_comment(),
            '#' if self.is(Lexis::Mysql) => self.line_comment(),
            '/' if next == Some('*') => self.block_comment()?,
            '\'' => self.string(self.reading.backslash != Backslash::Plain, Kind::Literal)?,
            '"' => self.quoted('"', self.reading.backslash == Backslash::InBoth)?,
            '`' if !self.is(Lexis::Postgres) => self.quoted('`', false)?,
            '[' if self.is(Lexis::Sqlite) => self.bracketed()?,
            '$' => self.dollar()?,
            '?' => self.question(),
            ':' | '@' => self.named(letter, next),
            _ if letter.is_ascii_digit() => self.number(),
            '.' if next.is_some_and(|digit| digit.is_ascii_digit()) && !self.after_name() => self.number(),
            _ if starts_word(letter) => self.word()?,
            _ => {
                let start = self.at;
                self.at += 1;
                self.push(Kind::Symbol(letter), start);
            }
        }
        Ok(())
    }

    /// Whether `--` begins a comment here: MySQL wants a blank behind it, so that `5--1` is six.
    fn dashes_comment(&self) -> bool {
        !self.is(Lexis::Mysql)
            || self.peek(2).is_none_or(|letter| letter.is_ascii_whitespace() || letter.is_ascii_control())
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|letter| letter != '\n' && !(letter == '\r' && self.is(Lexis::Postgres))) {
            self.at += 1;
        }
    }

    fn block_comment(&mut self) -> Result<(), SqlError> {
        if self.is(Lexis::Mysql)
            && (self.peek(2) == Some('!') || (self.peek(2) == Some('M') && self.peek(3) == Some('!')))
        {
            return Err(refused(
                "a comment that MySQL would execute (/*! … */) is not accepted",
                "Write the statement without it.",
            ));
        }
        self.at += 2;
        let mut depth = 1;
        while depth > 0 {
            match (self.peek(0), self.peek(1)) {
                (Some('*'), Some('/')) => {
                    depth -= 1;
                    self.at += 2;
                }
                (Some('/'), Some('*')) if self.is(Lexis::Postgres) => {
                    depth += 1;
                    self.at += 2;
                }
                (Some(_), _) => self.at += 1,
                (None, _) => return Err(unterminated("comment")),
            }
        }
        Ok(())
    }

    /// A `'…'` literal; the quote is at the present position.
    fn string(&mut self, backslash: bool, kind: Kind) -> Result<(), SqlError> {
        let start = self.at;
        self.closing('\'', backslash)?;
        let continued = matches!(self.tokens.last(), Some(Token { kind: Kind::EscapeString, .. }));
        if continued && kind == Kind::Literal {
            return Err(refused(
                "an escape string that goes on in another literal is not accepted",
                "Pass the text as a parameter.",
            ));
        }
        self.push(kind, start);
        Ok(())
    }

    fn quoted(&mut self, quote: char, backslash: bool) -> Result<(), SqlError> {
        let start = self.at;
        let name = self.closing(quote, backslash)?;
        self.push(Kind::Quoted(name), start);
        Ok(())
    }

    /// Reads up to the closing quote, where a doubled quote stands for itself.
    fn closing(&mut self, quote: char, backslash: bool) -> Result<String, SqlError> {
        self.at += 1;
        let mut content = String::new();
        loop {
            match self.peek(0) {
                None => return Err(unterminated("quotation")),
                Some('\\') if backslash => {
                    content.extend(self.peek(1));
                    self.at += 2;
                }
                Some(letter) if letter == quote && self.peek(1) == Some(quote) => {
                    content.push(quote);
                    self.at += 2;
                }
                Some(letter) => {
                    self.at += 1;
                    if letter == quote {
                        return Ok(content);
                    }
                    content.push(letter);
                }
            }
        }
    }

    fn bracketed(&mut self) -> Result<(), SqlError> {
        let start = self.at;
        self.at += 1;
        let mut name = String::new();
        loop {
            match self.peek(0) {
                None => return Err(unterminated("name in brackets")),
                Some(letter) => {
                    self.at += 1;
                    if letter == ']' {
                        break;
                    }
                    name.push(letter);
                }
            }
        }
        self.push(Kind::Quoted(name), start);
        Ok(())
    }

    /// `$1`, `$name`, or a dollar-quoted string of PostgreSQL.
    fn dollar(&mut self) -> Result<(), SqlError> {
        let start = self.at;
        self.at += 1;
        let tag = self.take_while(|letter| letter.is_alphanumeric() || letter == '_' || !letter.is_ascii());
        let digits = tag.chars().next().is_some_and(|letter| letter.is_ascii_digit());
        if self.is(Lexis::Postgres) && self.peek(0) == Some('$') && !digits {
            self.at += 1;
            return self.dollar_body(&tag, start);
        }
        let kind = match tag.parse() {
            _ if tag.is_empty() => Kind::Symbol('$'),
            Ok(number) => Kind::Placeholder(Placeholder::Numbered(number)),
            Err(_) => Kind::Placeholder(Placeholder::Named(tag)),
        };
        self.push(kind, start);
        Ok(())
    }

    fn dollar_body(&mut self, tag: &str, start: usize) -> Result<(), SqlError> {
        let end: Vec<char> = format!("${tag}$").chars().collect();
        while self.at < self.text.len() {
            if self.text.get(self.at..).is_some_and(|rest| rest.starts_with(&end)) {
                self.at += end.len();
                self.push(Kind::Literal, start);
                return Ok(());
            }
            self.at += 1;
        }
        Err(unterminated("dollar-quoted string"))
    }

    fn question(&mut self) {
        let start = self.at;
        self.at += 1;
        let digits = self.take_while(|letter| letter.is_ascii_digit());
        let placeholder = digits.parse().map_or(Placeholder::Next, Placeholder::Numbered);
        self.push(Kind::Placeholder(placeholder), start);
    }

    /// `:name` or `@name`; `::` is a cast, `@@` a setting.
    fn named(&mut self, sign: char, next: Option<char>) {
        let start = self.at;
        self.at += 1;
        if next == Some(sign) || (sign == ':' && next == Some('=')) {
            self.at += 1;
        } else if next.is_some_and(starts_word) && (sign == ':' || self.is(Lexis::Sqlite)) {
            let name = self.take_while(|letter| starts_word(letter) || letter.is_ascii_digit());
            self.push(Kind::Placeholder(Placeholder::Named(name)), start);
            return;
        }
        self.push(Kind::Symbol(sign), start);
    }

    fn after_name(&self) -> bool {
        matches!(self.tokens.last(), Some(Token { kind: Kind::Word(_) | Kind::Quoted(_), end, .. }) if *end == self.at)
    }

    /// A number ends where PostgreSQL ends it, before any letter, so that `1UNION` shows its keyword; names of MySQL that
    /// begin with a digit come out in two pieces, of which the second is the telling one.
    fn number(&mut self) {
        let start = self.at;
        self.take_while(|letter| letter.is_ascii_digit() || letter == '.' || letter == '_');
        if self.peek(0).is_some_and(|letter| letter.eq_ignore_ascii_case(&'e')) {
            let signed = matches!(self.peek(1), Some('+' | '-'));
            if self.peek(1 + usize::from(signed)).is_some_and(|digit| digit.is_ascii_digit()) {
                self.at += 1 + usize::from(signed);
                self.take_while(|letter| letter.is_ascii_digit());
            }
        }
        self.push(Kind::Literal, start);
    }

    fn word(&mut self) -> Result<(), SqlError> {
        let start = self.at;
        let word =
            self.take_while(|letter| starts_word(letter) || letter.is_ascii_digit() || letter == '$').to_uppercase();
        if self.is(Lexis::Postgres) {
            match (word.as_str(), self.peek(0), self.peek(1)) {
                ("E", Some('\''), _) => return self.string(true, Kind::EscapeString),
                ("U", Some('&'), Some('"')) => {
                    return Err(refused("a name with Unicode escapes is not accepted", "Write the name plainly."));
                }
                _ => {}
            }
        }
        self.push(Kind::Word(word), start);
        Ok(())
    }

    fn take_while(&mut self, wanted: impl Fn(char) -> bool) -> String {
        let mut taken = String::new();
        while let Some(letter) = self.peek(0).filter(|letter| wanted(*letter)) {
            taken.push(letter);
            self.at += 1;
        }
        taken
    }
}

fn unterminated(what: &str) -> SqlError {
    SqlError::Unreadable(format!("The statement has a {what} that does not end. Close it."))
}
