//! What is done to a ledger as a whole: old events go by decision of its owner, and an end that is gone is recorded.

use super::cut::Cut;
use super::event::Head;
use super::ledger::Ledger;
use super::ledger_error::LedgerError;
use super::retention::Retain;
use super::store::{Reach, Shrink};
use super::timestamp;
use super::verification::Witness;

/// Whether events go, or are only counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prune {
    Events,
    DryRun,
}

/// What went, or would go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pruned {
    pub events: u64,
    /// The number of the first event that is kept.
    pub first: u64,
}

impl Ledger {
    /// Drops events up to a signed checkpoint, and gives the room back: none of the newest `keep`, and none since `before`
    /// (milliseconds since 1970). A signed event says so.
    ///
    /// # Errors
    /// `NotWhole` where something was changed that would go.
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
            // What either of the two keeps stays.
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
                // The events are gone all the same.
                (shared.log)(&format!("Old events of the ledger went, but its file is as large as before: {error}"));
            }
        }
        Ok(Pruned { events: last.size - base.size, first: last.size + 1 })
    }

    /// Records, once, that the end is gone which a witness has seen. Before this process records anything else: what a process
    /// that was killed has left is added first, and may be that very end.
    pub fn record_cut(&self, seen: &Witness) -> Result<Option<Cut>, LedgerError> {
        let store = self.store();
        if store.reach() == Reach::ManyMachines || store.head()?.size >= seen.size {
            return Ok(None);
        }
        let after = self.position()?;
        let checkpoints = &self.shared()?.checkpoints;
        let key = checkpoints.key()?;
        // A checkpoint may have seen more.
        let noted = checkpoints.last()?.filter(|note| note.head.size > seen.size && note.is_signed_by(&key.public()));
        let cut = Cut { after, up_to: noted.map_or(Head { size: seen.size, hash: seen.head }, |note| note.head) };
        if after.size >= seen.size || cut.is_recorded(store, &key.public())? {
            return Ok(None);
        }
        self.shared()?.retention.append(cut.prepared(&key))?;
        Ok(Some(cut))
    }

    /// Signs once that the events before the first may be gone, for a ledger whose retention was not recorded. Its owner decides
    /// that: verification does not miss them any more.
    ///
    /// # Errors
    /// `NotWhole` where no signed checkpoint is at the beginning.
    pub fn sign_base(&self) -> Result<(), LedgerError> {
        self.flush()?;
        let shared = self.shared()?;
        shared.retention.sign_base(&shared.checkpoints)
    }
}
