//! The verdict on a call, with its explanation.

use serde::{Deserialize, Serialize};
use std::sync::Arc;
use tgp_base::error::Details;

/// A decision; ordered from the mildest to the strictest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    Allow,
    Ask,
    Deny,
}

impl Decision {
    pub const ALL: [Self; 3] = [Self::Allow, Self::Ask, Self::Deny];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }

    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|decision| decision.as_str() == text)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
pub struct Verdict {
    #[serde(rename = "verdict")]
    pub decision: Decision,
    /// The id of the rule, or `default`, or `token`.
    pub rule: Arc<str>,
    /// File and line of the rule.
    pub at: Arc<str>,
    pub reason: Arc<str>,
    /// The nearest call that would be allowed, as text for a model. The proposed call was judged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nearest: Option<String>,
}

impl Verdict {
    /// The stricter of two verdicts; the first if they are equal.
    #[must_use]
    pub fn or_stricter(self, other: Self) -> Self {
        if other.decision > self.decision { other } else { self }
    }

    /// The members of `error.details`.
    #[must_use]
    pub fn details(&self) -> Details {
        let mut details = Details::new();
        details.insert("verdict".to_owned(), self.decision.as_str().into());
        details.insert("rule".to_owned(), (*self.rule).into());
        details.insert("at".to_owned(), (*self.at).into());
        details.insert("reason".to_owned(), (*self.reason).into());
        if let Some(nearest) = &self.nearest {
            details.insert("nearest".to_owned(), nearest.as_str().into());
        }
        details
    }
}
