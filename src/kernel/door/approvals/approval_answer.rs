//! The answer to a request for an approval.

use serde::Deserialize;

/// Longest text in an answer.
const MAX_CHARS: usize = 2000;

/// The decision in an answer.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "lowercase")]
pub enum AnswerVerdict {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ApprovalAnswer {
    pub verdict: AnswerVerdict,
    /// Who decided.
    pub by: Option<String>,
    pub reason: Option<String>,
    pub rule: Option<String>,
}

impl ApprovalAnswer {
    /// The same with texts of a bounded length.
    #[must_use]
    pub fn bounded(self) -> Self {
        let Self { verdict, by, reason, rule } = self;
        Self { verdict, by: by.map(bounded), reason: reason.map(bounded), rule: rule.map(bounded) }
    }
}

fn bounded(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(end);
    }
    text
}
