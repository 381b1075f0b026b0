//! Assertions about the graph, as a policy states them.

use serde_json::{Map, Value};
use std::sync::Arc;

/// What the query of an assertion must answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expectation {
    Rows,
    NoRows,
}

impl Expectation {
    pub const ALL: [Self; 2] = [Self::Rows, Self::NoRows];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Rows => "rows",
            Self::NoRows => "no rows",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|expectation| expectation.as_str() == text)
    }

    /// Whether a query with or without rows meets it.
    #[must_use]
    pub const fn is_met(self, has_rows: bool) -> bool {
        matches!((self, has_rows), (Self::Rows, true) | (Self::NoRows, false))
    }
}

/// A query of the graph with its expected answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Assertion {
    pub id: Arc<str>,
    pub cypher: Arc<str>,
    pub params: Map<String, Value>,
    pub expect: Expectation,
    pub reason: Arc<str>,
    /// File and line.
    pub at: Arc<str>,
}

/// An assertion about steps of a plan; its query has the parameters `$filePath` and `$step`.
#[derive(Debug, Clone, PartialEq)]
pub struct ReviewRule {
    /// Types of the steps that it is about; empty for all.
    pub steps: Vec<String>,
    pub assertion: Assertion,
}
