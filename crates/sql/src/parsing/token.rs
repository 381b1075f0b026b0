//! SQL tokens.

use crate::dialects::{Dialect, DialectRules, LexerConfig};
use std::borrow::Cow;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A keyword or an unquoted name.
    Word,
    /// A quoted name.
    Quoted,
    /// A string or byte string literal.
    Text,
    /// An escape string of PostgreSQL. Its continuation on the next line is one too.
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

impl Kind {
    /// Whether it is a keyword, or an unquoted or quoted name.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Word | Self::Quoted)
    }

    pub fn is_placeholder(self) -> bool {
        matches!(self, Self::Next | Self::Numbered | Self::Named)
    }
}

/// A token and its byte range.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    start: u32,
    end: u32,
}

impl Token {
    /// `start` and `end` fit into 32 bits, because longer texts are refused.
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

/// The tokens of one statement, without whitespace, comments and trailing semicolons.
#[derive(Debug)]
pub struct Tokens<'a> {
    source: &'a str,
    /// The source with ASCII letters in upper case: keywords and unquoted names are slices of it.
    upper: &'a str,
    list: Vec<Token>,
    config: LexerConfig,
}

impl<'a> Tokens<'a> {
    /// `upper` is the source with ASCII letters in upper case.
    pub(super) fn new(source: &'a str, upper: &'a str, list: Vec<Token>, config: LexerConfig) -> Self {
        Self { source, upper, list, config }
    }

    /// The same text with only the tokens that `keep` accepts.
    pub(super) fn filtered(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let kept = self.list.iter().enumerate().filter(|(index, _)| keep(*index)).map(|(_, token)| *token);
        Self { source: self.source, upper: self.upper, list: kept.collect(), config: self.config }
    }

    pub fn config(&self) -> LexerConfig {
        self.config
    }

    /// The dialect of the database, which may be unknown.
    pub fn dialect(&self) -> Dialect {
        self.config.dialect
    }

    /// The facts of the dialect in which the text was read.
    pub fn rules(&self) -> &'static DialectRules {
        self.config.rules
    }

    pub fn list(&self) -> &[Token] {
        &self.list
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn get(&self, index: usize) -> Option<Token> {
        self.list.get(index).copied()
    }

    /// The source text of a token.
    pub fn raw(&self, token: Token) -> &'a str {
        self.source.get(token.start()..token.end()).unwrap_or_default()
    }

    /// The keyword or unquoted name at an index, in upper case; empty for other tokens.
    pub fn word(&self, index: usize) -> &'a str {
        match self.list.get(index) {
            Some(token) if token.kind == Kind::Word => self.upper.get(token.start()..token.end()).unwrap_or_default(),
            Some(_) | None => "",
        }
    }

    pub fn words(&self) -> impl Iterator<Item = &'a str> {
        (0..self.list.len()).map(|index| self.word(index))
    }

    /// The word before an index; empty if there is none.
    pub fn word_before(&self, index: usize) -> &'a str {
        index.checked_sub(1).map_or("", |before| self.word(before))
    }

    pub fn is_symbol(&self, index: usize, symbol: u8) -> bool {
        self.list.get(index).is_some_and(|token| token.kind == Kind::Symbol(symbol))
    }

    pub fn is_symbol_before(&self, index: usize, symbol: u8) -> bool {
        index.checked_sub(1).is_some_and(|before| self.is_symbol(before, symbol))
    }

    /// The name that a token may be, without quotes: a word, a quoted name, or a named parameter.
    pub fn name(&self, token: Token) -> Option<Cow<'a, str>> {
        match token.kind {
            Kind::Word | Kind::Named => Some(Cow::Borrowed(self.raw(token))),
            Kind::Quoted => Some(self.unquoted(token)),
            Kind::Text | Kind::EscapeText | Kind::Number | Kind::Next | Kind::Numbered | Kind::Symbol(_) => None,
        }
    }

    /// The content of a quoted token.
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

    /// The number or name of a placeholder.
    pub fn placeholder(&self, token: Token) -> &'a str {
        let raw = self.raw(token);
        raw.strip_prefix(['?', '$', ':', '@']).unwrap_or(raw)
    }
}
