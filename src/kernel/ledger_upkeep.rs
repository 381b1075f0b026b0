//! Maintenance of the ledger: pruning, and detection of a truncated end.

use super::door::witness_in;
use super::ledger_api::{LedgerApi, invalid};
use serde::{Deserialize, Serialize};
use tgp_base::error::Error;
use tgp_ledger::Prune;

/// Which events to prune.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct PruneWhat {
    /// The number of events to keep.
    keep: Option<u64>,
    /// Milliseconds since 1970.
    before: Option<u64>,
    dry_run: bool,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PruneReport {
    #[cfg_attr(test, ts(type = "number"))]
    events: u64,
    /// The number of the first remaining event.
    #[cfg_attr(test, ts(type = "number"))]
    first: u64,
}

impl LedgerApi {
    /// Prunes old events, or counts them in a dry run.
    pub fn prune(&self, what_json: &str) -> Result<PruneReport, Error> {
        let PruneWhat { keep, before, dry_run } =
            serde_json::from_str(what_json).map_err(|error| invalid("pruning", &error))?;
        let how = if dry_run { Prune::DryRun } else { Prune::Events };
        let pruned = self.door.ledger()?.prune(keep, before, how)?;
        Ok(PruneReport { events: pruned.events, first: pruned.first })
    }

    /// Compares the ledger with the position in the newest commit that has one. Records a truncation once, and returns
    /// a warning. Must run before any other event is recorded.
    pub fn record_cut(&self) -> Result<Option<String>, Error> {
        let Ok(ledger) = self.door.ledger() else { return Ok(None) };
        let (Some(key), Some(newest)) = (ledger.public_key()?, self.history.newest_message()?) else { return Ok(None) };
        let seen = match witness_in(&newest, &key) {
            Some(seen) => Some(seen),
            // The newest commit was made manually, or on another machine.
            None => self.history.newest_witness(|message| witness_in(message, &key))?,
        };
        let Some(seen) = seen else { return Ok(None) };
        let cut = ledger.record_cut(&seen)?;
        Ok(cut.map(|cut| {
            let (from, to) = (cut.after.size + 1, cut.up_to.size);
            format!("Events {from} to {to} of the ledger are missing: a commit recorded a later position. The truncation was recorded. See \"tgp ledger verify\".")
        }))
    }
}
