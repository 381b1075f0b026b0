//! Waits until the events of other processes are in the store.
//!
//! A spool is locked by the process that writes it, and after its end by the process that drains it. These cannot be
//! distinguished from outside; only the drained length counts.

use crate::folder::Folder;
use crate::ledger_error::LedgerError;
use crate::store::Store;
use std::time::{Duration, Instant};

/// The polling interval.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until the store has all events that are in the folder's spools now. `drain` drains unlocked spools.
///
/// # Errors
/// `Behind` when that takes longer than `timeout`.
pub fn wait_for_spools(
    folder: &Folder,
    store: &dyn Store,
    drain: impl Fn() -> Result<(), LedgerError>,
    timeout: Duration,
) -> Result<(), LedgerError> {
    let until = Instant::now() + timeout;
    let mut open = spools(folder)?;
    loop {
        drain()?;
        let mut behind = Vec::new();
        for (name, len) in open {
            // A file is removed when all of it is in the store.
            if store.drained(&name)? < len && len_of(folder, &name)?.is_some() {
                behind.push((name, len));
            }
        }
        let Some((first, _)) = behind.first() else { return Ok(()) };
        if Instant::now() >= until {
            return Err(LedgerError::Behind(first.clone()));
        }
        open = behind;
        std::thread::sleep(PAUSE);
    }
}

/// The existing spools with their lengths.
fn spools(folder: &Folder) -> Result<Vec<(String, u64)>, LedgerError> {
    let names = folder.spool_names().map_err(|error| LedgerError::read(&error))?;
    let mut found = Vec::with_capacity(names.len());
    for name in names {
        found.extend(len_of(folder, &name)?.map(|len| (name, len)));
    }
    Ok(found)
}

fn len_of(folder: &Folder, name: &str) -> Result<Option<u64>, LedgerError> {
    folder.spool_len(name).map_err(|error| LedgerError::read(&error))
}

#[cfg(test)]
mod tests {
    use crate::folder::Folder;
    use crate::ledger_error::LedgerError;
    use crate::samples::{call, open};
    use crate::spool::spool_file::SpoolFile;
    use crate::spool::spool_line::write_line;
    use crate::{Access, Durability, spool::prepare::Preparation, spool::spool_file::Stage, writer::drain::Drain};
    use crate::{Query, SqliteStore};
    use std::sync::Arc;
    use std::time::Duration;

    /// A spool of a killed process, with one event.
    fn leave_spool(place: &std::path::Path, name: &str) {
        let mut line = Vec::new();
        write_line(&call("dead-1", &[]), &mut line);
        std::fs::write(Folder::as_is(place).spool(name), line).unwrap();
    }

    #[test]
    fn waits_for_a_spool_that_another_process_drains() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        let folder = Folder::as_is(place.path());
        leave_spool(place.path(), "dead.0");
        // Another process has locked the spool, and has not drained it yet.
        let adopted = SpoolFile::adopt(&folder, "dead.0").unwrap().unwrap();
        ledger.flush().unwrap();
        let of_dead = || ledger.tail(&Query { limit: 10, ..Query::default() }).unwrap().len();
        assert_eq!(of_dead(), 0, "it is not there yet");
        assert_eq!(ledger.wait_for_spools(Duration::from_millis(100)), Err(LedgerError::Behind("dead.0".to_owned())));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                let store = SqliteStore::open(&folder.database(), Access::ReadWrite, Durability::Process).unwrap();
                let preparation = Preparation { redact: None, blob_bytes: 1 << 18 };
                let drain = Drain { folder: folder.clone(), store: Arc::new(store), preparation };
                drain.drain(&adopted.view(Stage::Ended), &mut 0, |_| {}).unwrap();
                adopted.remove(&folder).unwrap();
            });
            ledger.wait_for_spools(Duration::from_secs(30)).unwrap();
            assert_eq!(of_dead(), 1);
        });
    }

    #[test]
    fn an_unlocked_spool_is_drained_at_once() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        ledger.flush().unwrap();
        leave_spool(place.path(), "dead.0");
        ledger.wait_for_spools(Duration::from_secs(30)).unwrap();
        assert_eq!(ledger.tail(&Query { limit: 10, ..Query::default() }).unwrap().len(), 1);
        ledger.wait_for_spools(Duration::ZERO).unwrap();
    }
}
