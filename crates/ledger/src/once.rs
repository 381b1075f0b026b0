//! Events that are recorded at most once by all processes that share a ledger's folder.

use super::event::event::NewEvent;
use super::ledger::Ledger;
use super::ledger_error::LedgerError;

/// The lock file, which is locked from the check for an earlier event until the new one is stored.
const FILE: &str = "once.lock";

/// Whether an event was recorded now, or before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recorded {
    Now,
    Before,
}

impl Ledger {
    /// Records an event unless `is_recorded`, which sees all events of this folder that were recorded this way. The event is
    /// stored when this returns.
    ///
    /// # Errors
    /// Those of `record` and `flush`, and of `is_recorded`.
    pub fn record_once<E: From<LedgerError>>(
        &self,
        is_recorded: impl FnOnce() -> Result<bool, E>,
        event: &NewEvent<'_>,
    ) -> Result<Recorded, E> {
        let _held = self.folder().hold(FILE).map_err(|error| LedgerError::write(&error))?;
        self.flush()?;
        if is_recorded()? {
            return Ok(Recorded::Before);
        }
        self.record(event)?;
        self.flush()?;
        Ok(Recorded::Now)
    }
}

#[cfg(test)]
mod tests {
    use super::Recorded;
    use crate::event::event::NewEvent;
    use crate::event::event_type::EventType;
    use crate::ledger_error::LedgerError;
    use crate::{Ledger, LedgerOptions, Query};

    #[test]
    fn many_owners_of_a_folder_record_an_event_once() {
        let place = tempfile::tempdir().unwrap();
        let record = || {
            let ledger = Ledger::open(&LedgerOptions::new(place.path())).unwrap();
            let query = Query { limit: 10, kind: Some(EventType::Reconciliation), ..Query::default() };
            let is_recorded = || Ok::<bool, LedgerError>(!ledger.tail(&query)?.is_empty());
            let event = NewEvent::of_kernel(EventType::Reconciliation);
            let mut fresh = 0;
            for _ in 0..5 {
                fresh += usize::from(ledger.record_once(is_recorded, &event).unwrap() == Recorded::Now);
            }
            ledger.close().unwrap();
            fresh
        };
        let fresh: usize = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(record)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).sum()
        });
        assert_eq!(fresh, 1);
    }
}
