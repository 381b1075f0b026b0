//! The resolved options of the SQL tools.

use super::agent_config::RESULT_CHARS;
use super::limited_struct::limited_struct;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::sql_detail::SqlDetail;
use tgp_sql::{RuleList, SqlPolicy};

limited_struct! {
    /// Options of the SQL tools. A key that is not here is refused.
    #[derive(Eq)]
    pub struct SqlOptions, SqlLimits {
        pub read_only: bool = false,
        /// Run, report the effect, roll back.
        pub dry_run: bool = false,
        /// Whether tools may change the schema.
        pub ddl: bool = false,
        pub allow: RuleList = RuleList::default(),
        pub deny: RuleList = RuleList::default(),
    }
    limits {
        /// Maximum number of rows of one statement.
        max_rows: 10_000, 1..=1_000_000;
        /// Maximum number of bytes of the rows of one statement, as JSON.
        max_bytes: 4 << 20, 64..=64 << 20;
        /// Maximum number of characters of the rows that one call of `exec_sql` shows a model.
        result_chars: RESULT_CHARS, 1000..=10_000_000;
        /// Maximum time of one statement.
        statement_timeout_ms: 10_000, 1..=3_600_000;
    }
}

impl Default for SqlOptions {
    fn default() -> Self {
        Self::standard()
    }
}

impl SqlOptions {
    /// Reads and checks options. The error names the key.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let options: Self = serde_json::from_str(text).map_err(|error| {
            Error::new(ErrorCode::Config, format!("The options of the SQL tools are not valid: {error}."))
        })?;
        options.check_limits("")?;
        if let Some(verb) = options.policy().needs_ddl() {
            let verb = verb.as_str();
            let message = format!(
                "The options of the SQL tools are not valid: \"allow.verbs\" names \"{verb}\", which changes the schema and needs ddl: true."
            );
            return Err(Error::new(ErrorCode::Config, message).with("field", "allow.verbs"));
        }
        Ok(options)
    }

    #[must_use]
    pub fn policy(&self) -> SqlPolicy {
        let (allow, deny) = (self.allow.clone(), self.deny.clone());
        SqlPolicy { read_only: self.read_only, ddl: self.ddl, allow, deny, judged: SqlDetail::Nothing }
    }
}

#[cfg(test)]
mod tests {
    use super::SqlOptions;
    use tgp_base::error::ErrorCode;

    #[test]
    fn empty_options_have_every_default_and_wrong_keys_are_refused_by_name() {
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
