//! A finding as one line of text.

use crate::compile::Diagnostic;

pub fn line_of(path: &str, found: &Diagnostic) -> String {
    format!("{path}:{}:{}: {}", found.line, found.column, found.message)
}
