//! The answer to a request for an approval.

use serde::Deserialize;
use tgp_policy::Decision;

/// Longest text in an answer.
const MAX_CHARS: usize = 2000;

/// The answer of a policy function or an approver.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DeciderAnswer {
    pub verdict: Decision,
    /// Who decided.
    pub by: Option<String>,
    pub reason: Option<String>,
    pub rule: Option<String>,
}

impl DeciderAnswer {
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
