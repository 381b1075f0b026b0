//! Binary operators by precedence. `AND`, `OR` and what stands behind an operand are in `expressions.rs`.

use super::ast::Operator;
use super::parser::Parser;

/// From the weakest to the strongest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    Comparison,
    Sum,
    Product,
    Power,
}

impl Level {
    pub const fn stronger(self) -> Option<Self> {
        match self {
            Self::Comparison => Some(Self::Sum),
            Self::Sum => Some(Self::Product),
            Self::Product => Some(Self::Power),
            Self::Power => None,
        }
    }
}

const SYMBOLS: [(&str, Level, Operator); 13] = [
    ("=", Level::Comparison, Operator::Equal),
    ("<>", Level::Comparison, Operator::Different),
    ("<", Level::Comparison, Operator::Less),
    ("<=", Level::Comparison, Operator::LessOrEqual),
    (">", Level::Comparison, Operator::Greater),
    (">=", Level::Comparison, Operator::GreaterOrEqual),
    ("=~", Level::Comparison, Operator::Matches),
    ("+", Level::Sum, Operator::Add),
    ("-", Level::Sum, Operator::Subtract),
    ("*", Level::Product, Operator::Multiply),
    ("/", Level::Product, Operator::Divide),
    ("%", Level::Product, Operator::Modulo),
    ("^", Level::Power, Operator::Power),
];

const WORDS: [(&[&str], Operator); 4] = [
    (&["STARTS", "WITH"], Operator::StartsWith),
    (&["ENDS", "WITH"], Operator::EndsWith),
    (&["CONTAINS"], Operator::Contains),
    (&["IN"], Operator::In),
];

impl Parser<'_> {
    pub fn take_operator(&mut self, level: Level) -> Option<Operator> {
        let symbol = SYMBOLS.iter().find(|(symbol, of, _)| *of == level && self.is_symbol(0, symbol));
        if let Some((symbol, _, operator)) = symbol {
            self.take_symbol(symbol);
            return Some(*operator);
        }
        let words = if level == Level::Comparison { WORDS.as_slice() } else { &[] };
        words.iter().find(|(words, _)| self.take_words(words)).map(|(_, operator)| *operator)
    }
}
