//! A finding in a source: rule, message, position, help and fix.

use std::ops::Range;

use serde::{Deserialize, Serialize};

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
