//! What the owner of a database allows, resolved: the defaults of every option of the SQL tools.

use crate::error::{Error, ErrorCode};
use crate::sql::{RuleList, SqlPolicy};
use serde::{Deserialize, Serialize};
use std::ops::RangeInclusive;

/// Options of the SQL tools. A key that is not here is refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct SqlOptions {
    pub read_only: bool,
    /// Run, report the effect, roll back.
    pub dry_run: bool,
    pub max_rows: u32,
    /// Of the rows of one statement, as JSON.
    pub max_bytes: u32,
    pub statement_timeout_ms: u32,
    pub allow: RuleList,
    pub deny: RuleList,
}

const MAX_ROWS: RangeInclusive<u32> = 1..=1_000_000;
const MAX_BYTES: RangeInclusive<u32> = 64..=64 << 20;
const STATEMENT_TIMEOUT_MS: RangeInclusive<u32> = 1..=3_600_000;

impl Default for SqlOptions {
    fn default() -> Self {
        Self {
            read_only: false,
            dry_run: false,
            max_rows: 10_000,
            max_bytes: 4 << 20,
            statement_timeout_ms: 10_000,
            allow: RuleList::default(),
            deny: RuleList::default(),
        }
    }
}

impl SqlOptions {
    /// Reads and checks options. The error names the key.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let options: Self = serde_json::from_str(text).map_err(|error| {
            Error::new(ErrorCode::Config, format!("The options of the SQL tools are not valid: {error}."))
        })?;
        for (key, range, value) in [
            ("maxRows", MAX_ROWS, options.max_rows),
            ("maxBytes", MAX_BYTES, options.max_bytes),
            ("statementTimeoutMs", STATEMENT_TIMEOUT_MS, options.statement_timeout_ms),
        ] {
            if !range.contains(&value) {
                let message = format!("{key} must be between {} and {}, not {value}.", range.start(), range.end());
                return Err(Error::new(ErrorCode::Config, message).with("key", key));
            }
        }
        Ok(options)
    }

    #[must_use]
    pub fn policy(&self) -> SqlPolicy {
        SqlPolicy { read_only: self.read_only, allow: self.allow.clone(), deny: self.deny.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::SqlOptions;
    use crate::error::ErrorCode;

    #[test]
    fn nothing_gives_every_default_and_wrong_keys_are_refused_by_name() {
        let options = SqlOptions::from_json("{}").unwrap();
        assert_eq!((options.max_rows, options.statement_timeout_ms, options.read_only), (10_000, 10_000, false));
        for (json, key) in [
            (r#"{"maxrows":1}"#, "maxrows"),
            (r#"{"maxRows":0}"#, "maxRows"),
            (r#"{"maxBytes":1}"#, "maxBytes"),
            (r#"{"statementTimeoutMs":0}"#, "statementTimeoutMs"),
            (r#"{"allow":{"verbs":["commit"]}}"#, "commit"),
            (r#"{"deny":{"table":["a"]}}"#, "table"),
        ] {
            let error = SqlOptions::from_json(json).unwrap_err();
            assert_eq!(error.code, ErrorCode::Config);
            assert!(error.message.contains(key), "{json}: {}", error.message);
        }
    }
}
