//! A lock file that a process holds from its first event until it closes the ledger. It shows other processes that it is alive.
//!
//! Spools cannot show that: they are removed while there is nothing to write, and other processes lock them to drain them.
//! Only the owner locks this file exclusively; others lock it shared for a moment.

use crate::folder::Folder;
use std::fs::{File, TryLockError, remove_file};
use std::io;

/// Attempts to create a file that is not removed before it is locked.
const TRIES: usize = 16;

pub struct ProcessLock {
    process: String,
    /// Locked while it is open.
    _file: File,
}

impl ProcessLock {
    pub fn begin(folder: &Folder, process: &str) -> io::Result<Self> {
        for _ in 0..TRIES {
            let file = folder.owned().create(true).append(true).open(folder.life(process))?;
            file.lock()?;
            if folder.life(process).exists() {
                return Ok(Self { process: process.to_owned(), _file: file });
            }
        }
        Err(io::ErrorKind::AddrInUse.into())
    }

    /// Whether the file still exists under its name.
    #[must_use]
    pub fn is_in_place(&self, folder: &Folder) -> bool {
        folder.life(&self.process).exists()
    }

    /// Removes the file, then unlocks it.
    pub fn end(self, folder: &Folder) {
        // A remaining file is removed by the next process that cleans up.
        let _stays = remove_file(folder.life(&self.process));
    }

    /// Whether a process that has recorded something is alive.
    #[must_use]
    pub fn is_held(folder: &Folder, process: &str) -> bool {
        is_process(process) && matches!(shared(folder, process), Err(TryLockError::WouldBlock))
    }

    /// Removes the files of ended processes without spools.
    pub fn clear(folder: &Folder) -> io::Result<()> {
        let spools = folder.spool_names()?;
        let has_spool =
            |process: &str| spools.iter().any(|name| name.split_once('.').is_some_and(|(owner, _)| owner == process));
        for process in folder.life_names()?.iter().filter(|process| is_process(process) && !has_spool(process)) {
            if let Ok(_file) = shared(folder, process) {
                let _stays = remove_file(folder.life(process));
            }
        }
        Ok(())
    }
}

/// Locks the file shared; fails if its owner holds it.
fn shared(folder: &Folder, process: &str) -> Result<File, TryLockError> {
    let file = folder.owned().read(true).open(folder.life(process)).map_err(TryLockError::Error)?;
    file.try_lock_shared()?;
    Ok(file)
}

/// Whether a text is a process id. Call ids come from outside and must not name other files.
fn is_process(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::ProcessLock;
    use crate::folder::Folder;
    use crate::samples::{call, open};
    use crate::spool::spool_file::SpoolFile;
    use crate::{CallState, HasResult};
    use std::time::{Duration, Instant};

    #[test]
    fn a_process_is_not_alive_because_its_spool_is_drained() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        let folder = Folder::as_is(place.path());
        std::fs::write(folder.spool("0123456789ab.0"), "").unwrap();
        let adopted = SpoolFile::adopt(&folder, "0123456789ab.0").unwrap().unwrap();
        assert_eq!(ledger.call_state("0123456789ab-1", HasResult::No).unwrap(), CallState::Unknown);
        drop(adopted);
    }

    #[test]
    fn an_idle_process_with_an_open_call_is_alive() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (open(place.path()), open(place.path()));
        let folder = Folder::as_is(place.path());
        let id = one.call_id();
        one.record(&call(&id, &[])).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !folder.spool_names().unwrap().is_empty() {
            assert!(Instant::now() < until, "the spool is removed");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Running);
        ProcessLock::clear(&folder).unwrap();
        assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Running);
        one.close().unwrap();
        assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Unknown);
        assert!(folder.life_names().unwrap().is_empty());
    }

    #[test]
    fn the_lock_of_a_killed_process_is_removed_with_its_spools() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        std::fs::write(folder.life("0123456789ab"), "").unwrap();
        std::fs::write(folder.spool("0123456789ab.0"), "").unwrap();
        ProcessLock::clear(&folder).unwrap();
        assert_eq!(folder.life_names().unwrap(), ["0123456789ab"]);
        std::fs::remove_file(folder.spool("0123456789ab.0")).unwrap();
        ProcessLock::clear(&folder).unwrap();
        assert!(folder.life_names().unwrap().is_empty());
    }

    #[test]
    fn a_call_id_cannot_name_another_file() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        assert_eq!(ledger.call_state("../ledger.db-1", HasResult::No).unwrap(), CallState::Unknown);
    }
}
