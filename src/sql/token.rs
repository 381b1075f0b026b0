//! SQL text as tokens.

use super::dialect::{Lexis, Reading};
use super::scanner::{Unread, scan};
use super::sql_error::SqlError;
use std::borrow::Cow;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or a bare name.
    Word,
    /// A name in quotes.
    Quoted,
    /// A string, or bytes.
    Text,
    /// An escape string of PostgreSQL, whose continuation on the next line is one too.
    EscapeText,
    Number,
    /// `?`
    Next,
    /// `?2` or `$2`, counted from 1.
    Numbered,
    /// `:name`, `$name` or `@name`.
    Named,
    Symbol(u8),
}

/// A token and where it stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    start: u32,
    end: u32,
}

impl Token {
    /// `start` and `end` are below [`MAX_BYTES`].
    pub(super) fn new(kind: Kind, start: usize, end: usize) -> Self {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { kind, start: place(start), end: place(end) }
    }

    pub fn start(self) -> usize {
        self.start as usize
    }

    pub fn end(self) -> usize {
        self.end as usize
    }
}

/// Longer statements are data in the wrong place.
const MAX_CHARS: usize = 1 << 20;
/// What that many characters take at most.
const MAX_BYTES: usize = 4 * MAX_CHARS;

/// The tokens of one statement, without blanks, comments and final semicolons.
#[derive(Debug)]
pub struct Tokens<'a> {
    source: &'a str,
    /// The same bytes with ASCII letters in upper case: keywords and bare names are slices of it.
    upper: &'a str,
    list: Vec<Token>,
}

pub(super) fn refused(what: impl Into<String>, advice: &'static str) -> SqlError {
    SqlError::Refused { what: what.into(), advice }
}

/// Refuses text that nobody should read at all.
pub fn check_text(sql: &str) -> Result<(), SqlError> {
    if sql.len() > MAX_BYTES || (sql.len() > MAX_CHARS && sql.chars().count() > MAX_CHARS) {
        return Err(SqlError::Unreadable(format!(
            "The statement is longer than {MAX_CHARS} characters. Pass the data as parameters, in several statements."
        )));
    }
    if sql.contains('\0') {
        return Err(refused("a statement may not hold a NUL character", "Remove it."));
    }
    Ok(())
}

/// The tokens of a text that `check_text` accepted, and that is one statement. Nothing, when a database that reads this
/// way would read no statement at all. `upper` is the text in upper case.
pub fn tokenise<'a>(sql: &'a str, upper: &'a str, reading: Reading) -> Result<Option<Tokens<'a>>, SqlError> {
    let scanned = scan(sql, reading);
    let mut list = scanned.tokens;
    let is_end = |token: &Token| token.kind == Kind::Symbol(b';');
    let begun_again = list.iter().skip_while(|token| !is_end(token)).any(|token| !is_end(token));
    let illegal = match scanned.stopped {
        Some(Unread::Refused(error)) => return Err(error),
        Some(Unread::Illegal) => true,
        None => false,
    };
    // What stands before an illegal token, and is ended by a semicolon, some drivers would execute.
    if begun_again || (illegal && list.iter().any(is_end)) {
        return Err(refused("several statements at once are not accepted", "Call exec_sql once for each statement."));
    }
    if illegal {
        return Ok(None);
    }
    while list.last().is_some_and(is_end) {
        list.pop();
    }
    Ok(Some(Tokens { source: sql, upper, list }))
}

impl<'a> Tokens<'a> {
    pub fn list(&self) -> &[Token] {
        &self.list
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, index: usize) -> Option<Token> {
        self.list.get(index).copied()
    }

    /// The text of a token as it was written.
    pub fn raw(&self, token: Token) -> &'a str {
        self.source.get(token.start()..token.end()).unwrap_or_default()
    }

    /// The word at a place in upper case; empty for everything that is no bare word.
    pub fn word(&self, index: usize) -> &'a str {
        match self.list.get(index) {
            Some(token) if token.kind == Kind::Word => self.upper.get(token.start()..token.end()).unwrap_or_default(),
            Some(_) | None => "",
        }
    }

    pub fn words(&self) -> impl Iterator<Item = &'a str> {
        (0..self.list.len()).map(|index| self.word(index))
    }

    /// The word before a place; empty where there is none.
    pub fn word_before(&self, index: usize) -> &'a str {
        index.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub fn is_symbol(&self, index: usize, symbol: u8) -> bool {
        self.list.get(index).is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    pub fn is_symbol_before(&self, index: usize, symbol: u8) -> bool {
        index.checked_sub(1).is_some_and(|before| self.is_symbol(before, symbol))
    }

    /// The name that a token may stand for, without its quotes: words, names in quotes, and what looks like a parameter.
    pub fn name(&self, token: Token) -> Option<Cow<'a, str>> {
        match token.kind {
            Kind::Word | Kind::Named => Some(Cow::Borrowed(self.raw(token))),
            Kind::Quoted => Some(self.unquoted(token)),
            Kind::Text | Kind::EscapeText | Kind::Number | Kind::Next | Kind::Numbered | Kind::Symbol(_) => None,
        }
    }

    /// What stands between the quotes of a token.
    pub fn unquoted(&self, token: Token) -> Cow<'a, str> {
        let raw = self.raw(token);
        let mut letters = raw.chars();
        let quote = letters.next().unwrap_or_default();
        letters.next_back();
        let inner = letters.as_str();
        let doubled = [quote, quote].iter().collect::<String>();
        if quote != '[' && inner.contains(&doubled) {
            Cow::Owned(inner.replace(&doubled, &quote.to_string()))
        } else {
            Cow::Borrowed(inner)
        }
    }

    /// The number or the name of a placeholder.
    pub fn placeholder(&self, token: Token) -> &'a str {
        let raw = self.raw(token);
        raw.strip_prefix(['?', '$', ':', '@']).unwrap_or(raw)
    }
}

/// Names longer than this PostgreSQL cuts off, so that two spellings are one table.
pub(super) const MAX_NAME_BYTES: usize = 63;

pub(super) fn too_long(lexis: Lexis, bytes: usize) -> bool {
    lexis == Lexis::Postgres && bytes > MAX_NAME_BYTES
}
