//! SQL text as tokens.

use std::borrow::Cow;

/// What a token is.
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

impl Kind {
    /// A bare name, a keyword, or a name in quotes.
    pub fn is_name(self) -> bool {
        matches!(self, Self::Word | Self::Quoted)
    }

    pub fn is_placeholder(self) -> bool {
        matches!(self, Self::Next | Self::Numbered | Self::Named)
    }
}

/// A token and where it stands, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    start: u32,
    end: u32,
}

impl Token {
    /// `start` and `end` fit: texts that are longer are not read.
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

/// The tokens of one statement, without blanks, comments and final semicolons.
#[derive(Debug)]
pub struct Tokens<'a> {
    source: &'a str,
    /// The same bytes with ASCII letters in upper case: keywords and bare names are slices of it.
    upper: &'a str,
    list: Vec<Token>,
}

impl<'a> Tokens<'a> {
    /// `upper` is the source with ASCII letters in upper case.
    pub(super) fn new(source: &'a str, upper: &'a str, list: Vec<Token>) -> Self {
        Self { source, upper, list }
    }

    /// The same text, with those of its tokens that are kept.
    pub(super) fn filtered(&self, mut keep: impl FnMut(usize) -> bool) -> Self {
        let kept = self.list.iter().enumerate().filter(|(index, _)| keep(*index)).map(|(_, token)| *token);
        Self { source: self.source, upper: self.upper, list: kept.collect() }
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
