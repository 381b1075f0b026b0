//! A recursive-descent parser with a limit for its depth. This file has what its rules share.

use super::ast::{Aggregate, Expr, ExprKind, Query, Slot};
use super::fault::Fault;
use super::lexer::{Spanned, Token, tokens};
use super::names::Label;
use super::scope::{Kind, MAX_VARIABLES, Scope};
use crate::graph_error::GraphError;
use tgp_base::spelling::nearest;

/// The most bytes of a query.
const MAX_TEXT: usize = 64 * 1024;
/// The most levels of an expression. What the executor calls for one level fits a small stack.
pub const MAX_DEPTH: usize = 64;
/// The most clauses of a query.
pub const MAX_CLAUSES: usize = 64;

/// Clauses that write or call something else.
const WRITING: [&str; 15] = [
    "CREATE", "MERGE", "DELETE", "DETACH", "SET", "REMOVE", "FOREACH", "DROP", "CALL", "LOAD", "ALTER", "GRANT", "USE",
    "START", "INSERT",
];
const READING: [&str; 10] =
    ["MATCH", "OPTIONAL", "WHERE", "WITH", "UNWIND", "RETURN", "ORDER", "SKIP", "LIMIT", "UNION"];

pub fn parse(text: &str) -> Result<Query, GraphError> {
    if text.len() > MAX_TEXT {
        return Err(GraphError::Input { what: "query", problem: format!("is longer than {MAX_TEXT} bytes") });
    }
    let parsed = tokens(text).and_then(|tokens| {
        let mut parser = Parser {
            text,
            tokens,
            next: 0,
            depth: 0,
            clauses: 0,
            needs_ledger: None,
            parameters: Vec::new(),
            scope: Scope::default(),
            aggregates: None,
        };
        parser.query()
    });
    parsed.map_err(|fault| fault.in_text(text))
}

pub struct Parser<'t> {
    text: &'t str,
    tokens: Vec<Spanned>,
    next: usize,
    depth: usize,
    pub clauses: usize,
    pub needs_ledger: Option<Label>,
    pub parameters: Vec<String>,
    pub scope: Scope,
    /// Those of the projection that is being parsed; `None` where aggregates are not allowed.
    pub aggregates: Option<Vec<Aggregate>>,
}

impl Parser<'_> {
    pub fn peek(&self) -> &Token {
        self.ahead(0)
    }

    pub fn ahead(&self, by: usize) -> &Token {
        self.tokens.get(self.next + by).map_or(&Token::End, |spanned| &spanned.token)
    }

    /// The offset of the next token.
    pub fn at(&self) -> usize {
        self.tokens.get(self.next).map_or(self.text.len(), |spanned| spanned.at)
    }

    /// The text from an offset to the last token.
    pub fn text_since(&self, at: usize) -> String {
        let last = self.next.checked_sub(1).and_then(|last| self.tokens.get(last));
        last.and_then(|last| self.text.get(at..last.end)).unwrap_or_default().to_owned()
    }

    pub fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next += 1;
        token
    }

    pub fn is_symbol(&self, by: usize, symbol: &str) -> bool {
        matches!(self.ahead(by), Token::Symbol(found) if *found == symbol)
    }

    pub fn is_word(&self, by: usize, word: &str) -> bool {
        matches!(self.ahead(by), Token::Word { text, quoted: false } if text.eq_ignore_ascii_case(word))
    }

    pub fn take_symbol(&mut self, symbol: &str) -> bool {
        let is_next = self.is_symbol(0, symbol);
        self.next += usize::from(is_next);
        is_next
    }

    /// Takes all words, or none.
    pub fn take_words(&mut self, words: &[&str]) -> bool {
        let are_next = words.iter().enumerate().all(|(by, word)| self.is_word(by, word));
        self.next += if are_next { words.len() } else { 0 };
        are_next
    }

    pub fn expect_symbol(&mut self, symbol: &str) -> Result<(), Fault> {
        if self.take_symbol(symbol) { Ok(()) } else { Err(self.unexpected(&format!("'{symbol}'"))) }
    }

    pub fn expect_word(&mut self, word: &str) -> Result<(), Fault> {
        if self.take_words(&[word]) { Ok(()) } else { Err(self.unexpected(word)) }
    }

    /// A name that is not a keyword by its place.
    pub fn name(&mut self, what: &str) -> Result<String, Fault> {
        if let Token::Word { text, .. } = self.peek() {
            let text = text.clone();
            self.next += 1;
            return Ok(text);
        }
        Err(self.unexpected(what))
    }

    /// An error at the next token, which names what may stand there.
    pub fn unexpected(&self, expected: &str) -> Fault {
        let at = self.at();
        if let Token::Word { text, quoted: false } = self.peek() {
            let upper = text.to_ascii_uppercase();
            if WRITING.contains(&upper.as_str()) {
                let problem =
                    format!("The graph is read-only, so {upper} is not supported. Use MATCH, WITH, UNWIND and RETURN.");
                return Fault::new(at, problem);
            }
            let suggestion = nearest(text, READING).filter(|known| !known.eq_ignore_ascii_case(text));
            return Fault::new(at, format!("Expected {expected}, not '{}'.", shown(text))).suggest(suggestion);
        }
        let found = self.tokens.get(self.next).and_then(|token| self.text.get(token.at..token.end)).unwrap_or_default();
        let found = if found.is_empty() { "the end".to_owned() } else { format!("'{}'", shown(found)) };
        Fault::new(at, format!("Expected {expected}, not {found}."))
    }

    /// Parses one level deeper.
    pub fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        if self.depth >= MAX_DEPTH {
            return Err(self.too_deep(self.at()));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    fn too_deep(&self, at: usize) -> Fault {
        Fault::new(
            at,
            format!("The query is nested more than {MAX_DEPTH} levels deep. Use WITH to split it, or IN with a list."),
        )
    }

    pub fn expr_of(&self, at: usize, kind: ExprKind) -> Result<Expr, Fault> {
        let below = kind.children().into_iter().map(|child| child.depth).max().unwrap_or_default();
        if below >= MAX_DEPTH { Err(self.too_deep(at)) } else { Ok(Expr { kind, at, depth: below + 1 }) }
    }

    /// The slot of a new variable, or of one that exists.
    pub fn slot(&mut self, at: usize, name: Option<&str>) -> Result<Slot, Fault> {
        let slot = self.scope.slot(name);
        slot.ok_or_else(|| {
            Fault::new(at, format!("A query has at most {MAX_VARIABLES} variables and parts of patterns."))
        })
    }

    /// The slot of a variable that must exist.
    pub fn existing(&self, at: usize, name: &str) -> Result<(Slot, Kind), Fault> {
        let found = self.scope.find(name).and_then(|slot| Some((slot, self.scope.kind(slot)?)));
        found.ok_or_else(|| {
            let known = self.scope.visible().map(|(_, known)| known);
            Fault::new(at, format!("The variable '{}' is not defined.", shown(name))).suggest(nearest(name, known))
        })
    }
}

/// The beginning of a text of the query, for a message.
pub fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    if text.chars().nth(40).is_some() {
        short.push('…');
    }
    short
}
