//! Section `ledger`: the log of calls and results.

use super::limited_struct::limited_struct;
use super::refused::check_line;
use tgp_base::error::Error;
use tgp_git::Secret;

limited_struct! {
    /// The ledger: every call with its result, in a hash chain.
    #[derive(Eq)]
    pub struct LedgerConfig, LedgerLimits {
        /// Whether the ledger is enabled.
        pub on: bool = true,
        /// Whether the section is set. If not, a root that cannot be written has no ledger instead of an error.
        #[serde(skip)]
        pub is_wanted: bool = false,
        /// Whether the intent of a change is flushed to disk before the change, so that it survives a power failure.
        pub fsync: bool = false,
        /// A PostgreSQL database instead of the file, for several machines; shown masked.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub postgres: Option<Secret> = None,
        /// The key that checkpoints are signed with, PKCS#8 in base64, for machines that share a database; shown masked.
        #[serde(skip_serializing_if = "Option::is_none")]
        #[cfg_attr(test, ts(optional))]
        pub key: Option<Secret> = None,
    }
    limits {
        /// Events between two signed checkpoints.
        checkpoint_events: 1000, 1..=1_000_000;
        /// Days that events are kept, up to a checkpoint; 0 for ever.
        retain_days: 0, 0..=36_500;
        /// Largest argument or result that is kept whole.
        blob_bytes: 256 << 10, 0..=64 << 20;
        /// What may wait on disk while events cannot be stored, in bytes.
        spool_bytes: 64 << 20, 64 << 10..=2 << 30;
    }
    limits that may be left open {
        /// Events that are kept, from a checkpoint on; 0 for all.
        retain_events: 2_000_000, 0..=1_000_000_000, "all in PostgreSQL, with `retainDays`, and in files of older versions";
    }
}

impl Default for LedgerConfig {
    fn default() -> Self {
        Self::standard()
    }
}

impl LedgerConfig {
    /// The default number of events to keep; none for all. There is no default for a shared database, whose
    /// administrator decides, nor when `retain_days` is set.
    #[must_use]
    pub fn events_by_default(&self) -> Option<u32> {
        let is_decided = self.retain_events.is_some() || self.retain_days > 0 || self.postgres.is_some();
        (!is_decided).then_some(Self::LIMITS.retain_events.default)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(address) = &self.postgres {
            check_line("ledger.postgres", address.expose())?;
        }
        self.check_limits("ledger.")
    }
}

#[cfg(test)]
mod tests {
    use super::LedgerConfig;
    use crate::kernel::config::Config;

    fn ledger(json: &str) -> LedgerConfig {
        Config::from_json(&format!(r#"{{"ledger":{json}}}"#)).unwrap().ledger
    }

    #[test]
    fn retain_events_is_explicit_even_when_it_equals_the_default() {
        assert_eq!(ledger("{}").events_by_default(), Some(2_000_000));
        for decided in [
            r#"{"retainEvents":2000000}"#,
            r#"{"retainEvents":0}"#,
            r#"{"retainDays":90}"#,
            r#"{"postgres":"postgres://a@b/c"}"#,
        ] {
            assert_eq!(ledger(decided).events_by_default(), None, "{decided}");
        }
        let chosen = ledger(r#"{"retainEvents":2000000,"postgres":"postgres://a@b/c"}"#);
        assert_eq!(chosen.retain_events, Some(2_000_000));
        assert!(!serde_json::to_string(&ledger("{}")).unwrap().contains("retainEvents"));
    }
}
