//! Maintenance of a ledger: pruning of old events, and recording of a truncated end.

use super::retention::cut::Cut;
use super::retention::retention::Retain;
use crate::event::event::Head;
use crate::event::timestamp;
use crate::ledger::Ledger;
use crate::ledger_error::LedgerError;
use crate::store::{Shrink, StoreScope};
use crate::verification::Witness;

/// Whether events are dropped or only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prune {
    Events,
    DryRun,
}

/// The result of pruning, or of a dry run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    pub events: u64,
    /// The number of the first kept event.
    pub first: u64,
}

impl Ledger {
    /// Drops events up to a signed checkpoint, and returns the space to the system. Keeps the newest `keep` events and all
    /// since `before` (milliseconds since 1970). A signed event records it.
    ///
    /// # Errors
    /// `NotWhole` if the events to be dropped were changed.
    pub fn prune(&self, keep: Option<u64>, before: Option<u64>, how: Prune) -> Result<Pruned, LedgerError> {
        let now = timestamp::now();
        let by_age = Retain { max_age: before.map(|before| now.saturating_sub(before)), ..Retain::default() };
        let by_count = Retain { max_events: keep, ..Retain::default() };
        match how {
            Prune::Events => {
                self.checkpoint()?;
            }
            Prune::DryRun => self.flush()?,
        }
        let shared = self.shared()?;
        let base = self.store().base()?;
        let bases = |retain: &Retain| shared.retention.bases(retain, &shared.checkpoints, now, usize::MAX);
        let bases = match (keep, before) {
            // An event that either limit keeps stays.
            (Some(_), Some(_)) => {
                let (one, other) = (bases(&by_age)?, bases(&by_count)?);
                if one.len() < other.len() { one } else { other }
            }
            (Some(_), None) => bases(&by_count)?,
            (None, _) => bases(&by_age)?,
        };
        let last: Head = bases.last().copied().unwrap_or(base);
        if how == Prune::Events {
            shared.retention.drop_to(&bases, &shared.checkpoints)?;
            if let Err(error) = self.store().shrink(Shrink::All) {
                // The events were dropped nevertheless.
                (shared.log)(&format!(
                    "Old events of the ledger were dropped, but its file could not be shrunk: {error}"
                ));
            }
        }
        Ok(Pruned { events: last.size - base.size, first: last.size + 1 })
    }

    /// Records a truncated end that a witness has seen, once, before this process records anything else. Spools of killed
    /// processes are drained first, since they may contain that end.
    pub fn record_cut(&self, seen: &Witness) -> Result<Option<Cut>, LedgerError> {
        let store = self.store();
        if store.scope() == StoreScope::Machines || store.head()?.size >= seen.size {
            return Ok(None);
        }
        let after = self.position()?;
        let checkpoints = &self.shared()?.checkpoints;
        let key = checkpoints.key()?;
        // A checkpoint may cover more events.
        let noted = checkpoints.last()?.filter(|note| note.head.size > seen.size && note.is_signed_by(&key.public()));
        let cut = Cut { after, up_to: noted.map_or(Head { size: seen.size, hash: seen.head }, |note| note.head) };
        if after.size >= seen.size || cut.is_recorded(store, &key.public())? {
            return Ok(None);
        }
        self.shared()?.retention.append(cut.prepared(&key))?;
        Ok(Some(cut))
    }

    /// Signs that the events before the first kept one were dropped, for a ledger whose retention was not recorded.
    /// Verification then no longer reports them as missing; the owner decides this.
    ///
    /// # Errors
    /// `NotWhole` if there is no signed checkpoint at the beginning.
    pub fn sign_base(&self) -> Result<(), LedgerError> {
        self.flush()?;
        let shared = self.shared()?;
        shared.retention.sign_base(&shared.checkpoints)
    }
}
