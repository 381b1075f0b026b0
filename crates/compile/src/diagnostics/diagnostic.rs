//! A finding in a source: rule, message, position, help and fix.

use crate::positions::source_index::Position;
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Severity of a finding. Only an error makes a tool invalid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub enum Severity {
    Error,
    Warning,
    Advice,
}

/// One finding. Lines and columns count from 1; columns count UTF-16 units, as editors and V8 do. The end is exclusive.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct Diagnostic {
    /// Stable id of the rule; `syntax` for an error of the compiler.
    pub rule: String,
    /// Number of the standard that the rule enforces, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub standard: Option<u8>,
    pub severity: Severity,
    pub message: String,
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    /// What to write instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// A fix that is safe to apply automatically.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fix: Option<Fix>,
}

impl Diagnostic {
    /// An error at one position, without help.
    pub(crate) fn error_at(at: Position, rule: &str, message: String) -> Self {
        Self {
            rule: rule.to_owned(),
            standard: None,
            severity: Severity::Error,
            message,
            line: at.line,
            column: at.column,
            end_line: at.line,
            end_column: at.column,
            help: None,
            fix: None,
        }
    }
}

/// A text edit. Lines and columns count as in [`Diagnostic`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Fix {
    pub line: u32,
    pub column: u32,
    pub end_line: u32,
    pub end_column: u32,
    pub text: String,
    /// The same range in bytes of the source.
    #[serde(skip)]
    pub bytes: Range<usize>,
}

/// The fixed text, and the number of fixes applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed {
    pub text: String,
    pub applied: usize,
}

/// Applies every fix to `source`. Of two overlapping fixes, the first is applied.
#[must_use]
pub fn apply_fixes(source: &str, diagnostics: &[Diagnostic]) -> Fixed {
    let mut fixes: Vec<_> = diagnostics.iter().filter_map(|found| found.fix.as_ref()).collect();
    fixes.sort_by_key(|fix| (fix.bytes.start, fix.bytes.end));
    // Offsets do not count a leading byte order mark.
    let bom = source.len() - source.trim_start_matches('\u{FEFF}').len();
    let mut text = String::with_capacity(source.len());
    let (mut done, mut applied) = (0, 0);
    for fix in fixes {
        let (start, end) = (fix.bytes.start + bom, fix.bytes.end + bom);
        let (true, Some(kept), Some(_)) = (start >= done, source.get(done..start), source.get(start..end)) else {
            continue;
        };
        text.push_str(kept);
        text.push_str(&fix.text);
        done = end;
        applied += 1;
    }
    text.push_str(source.get(done..).unwrap_or_default());
    Fixed { text, applied }
}

#[cfg(test)]
mod tests {
    use super::{Diagnostic, Severity};

    #[test]
    fn serializes_as_the_public_shape() {
        let diagnostic = Diagnostic {
            rule: "syntax".to_owned(),
            standard: None,
            severity: Severity::Error,
            message: "Expression expected".to_owned(),
            line: 3,
            column: 11,
            end_line: 3,
            end_column: 12,
            help: None,
            fix: None,
        };
        assert_eq!(
            serde_json::to_value(&diagnostic).unwrap(),
            serde_json::json!({
                "rule": "syntax", "severity": "error", "message": "Expression expected",
                "line": 3, "column": 11, "endLine": 3, "endColumn": 12,
            })
        );
    }
}
