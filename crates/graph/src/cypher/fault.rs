//! An error in the text of a query, by its offset.

use crate::graph_error::{GraphError, QueryFault};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fault {
    pub at: usize,
    pub problem: String,
    pub suggestion: Option<String>,
}

impl Fault {
    pub fn new(at: usize, problem: impl Into<String>) -> Self {
        Self { at, problem: problem.into(), suggestion: None }
    }

    pub fn suggest(mut self, suggestion: Option<&str>) -> Self {
        self.suggestion = suggestion.map(str::to_owned);
        self
    }

    /// With line and column instead of the offset.
    pub fn in_text(self, text: &str) -> GraphError {
        let before = text.get(..self.at).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
        let Self { problem, suggestion, .. } = self;
        GraphError::Query(Box::new(QueryFault { problem, line, column, suggestion }))
    }
}
