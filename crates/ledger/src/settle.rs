//! Waits for what other processes have recorded.
//!
//! A spool is held by the process that writes it, and after its end by the process that drains it. From outside both look the
//! same; what counts is how much of the file the store has.

use super::folder::Folder;
use super::ledger_error::LedgerError;
use super::store::Store;
use std::time::{Duration, Instant};

/// How long it is waited before the next look.
const PAUSE: Duration = Duration::from_millis(20);

/// Waits until the store has what is in the folder's spools now. `drain` adds what no process holds.
///
/// # Errors
/// `Behind` when that takes longer than `patience`.
pub fn settle(
    folder: &Folder,
    store: &dyn Store,
    drain: impl Fn() -> Result<(), LedgerError>,
    patience: Duration,
) -> Result<(), LedgerError> {
    let until = Instant::now() + patience;
    let mut open = spools(folder)?;
    loop {
        drain()?;
        let mut behind = Vec::new();
        for (name, len) in open {
            // A file goes when all of it is in the store.
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

/// The spools that are there, each with its length.
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
    use crate::spool_file::SpoolFile;
    use crate::spool_line::write_line;
    use crate::{Access, Durability, drain::Drain, prepare::Preparation, spool_view::Stage};
    use crate::{Query, SqliteStore};
    use std::sync::Arc;
    use std::time::Duration;

    /// A spool of a process that was killed, with one event in it.
    fn leave_spool(place: &std::path::Path, name: &str) {
        let mut line = Vec::new();
        write_line(&call("dead-1", &[]), &mut line);
        std::fs::write(Folder::as_is(place).spool(name), line).unwrap();
    }

    #[test]
    fn what_another_process_has_taken_over_is_waited_for() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        let folder = Folder::as_is(place.path());
        leave_spool(place.path(), "dead.0");
        // Another process holds what the dead one left, and has not added it yet.
        let adopted = SpoolFile::adopt(&folder, "dead.0").unwrap().unwrap();
        ledger.flush().unwrap();
        let of_dead = || ledger.tail(&Query { limit: 10, ..Query::default() }).unwrap().len();
        assert_eq!(of_dead(), 0, "it is not there yet");
        assert_eq!(ledger.settle(Duration::from_millis(100)), Err(LedgerError::Behind("dead.0".to_owned())));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(300));
                let store = SqliteStore::open(&folder.database(), Access::ReadWrite, Durability::Process).unwrap();
                let preparation = Preparation { redact: None, blob_bytes: 1 << 18 };
                let drain = Drain { folder: folder.clone(), store: Arc::new(store), preparation };
                drain.drain(&adopted.view(Stage::Ended), &mut 0, |_| {}).unwrap();
                adopted.remove(&folder).unwrap();
            });
            ledger.settle(Duration::from_secs(30)).unwrap();
            assert_eq!(of_dead(), 1);
        });
    }

    #[test]
    fn what_no_process_holds_is_added_at_once() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        ledger.flush().unwrap();
        leave_spool(place.path(), "dead.0");
        ledger.settle(Duration::from_secs(30)).unwrap();
        assert_eq!(ledger.tail(&Query { limit: 10, ..Query::default() }).unwrap().len(), 1);
        ledger.settle(Duration::ZERO).unwrap();
    }
}
