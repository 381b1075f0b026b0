//! Formats a finding as one line.

use tgp_compile::Diagnostic;

pub fn line_of(path: &str, found: &Diagnostic) -> String {
    format!("{path}:{}:{}: {}", found.line, found.column, found.message)
}

/// The text with a full stop, unless it has a final punctuation mark.
pub fn sentence(text: &str) -> String {
    if text.ends_with(['.', '?', '!']) { text.to_owned() } else { format!("{text}.") }
}
