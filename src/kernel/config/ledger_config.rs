//! What is written down of what agents ask for and do.

use super::limited_struct::limited_struct;
use super::refused::check_line;
use tgp_base::error::Error;
use tgp_git::Secret;

limited_struct! {
    /// The ledger: every call with its result, chained.
    #[derive(Eq)]
    pub struct LedgerConfig, LedgerLimits {
        /// Whether anything is written down.
        pub on: bool = true,
        /// Whether somebody wants it: where nobody says anything, a root that cannot be written does without.
        #[serde(skip)]
        pub is_wanted: bool = false,
        /// Whether the intent of a change is also safe from a loss of power before the change happens.
        pub fsync: bool = false,
        /// A PostgreSQL database in the place of the file, for several machines; shown masked.
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
        /// Events that are kept, from a checkpoint on; 0 for all.
        retain_events: 2_000_000, 0..=1_000_000_000, "all in PostgreSQL, with `retainDays`, and in files of older versions";
        /// Largest argument or result that is kept whole.
        blob_bytes: 256 << 10, 0..=64 << 20;
        /// What may wait on disk while events cannot be stored, in bytes.
        spool_bytes: 64 << 20, 64 << 10..=2 << 30;
    }
}

impl Default for LedgerConfig {
    fn default() -> Self {
        Self::standard()
    }
}

impl LedgerConfig {
    /// Whether the number of events that are kept is the one that nobody has chosen: configurations that were filled in have it, too.
    #[must_use]
    pub fn keeps_by_default(&self) -> bool {
        self.retain_events == Self::standard().retain_events
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(address) = &self.postgres {
            check_line("ledger.postgres", address.expose())?;
        }
        self.check_limits("ledger.")
    }
}
