//! A file that a process holds from its first event until it closes the ledger. Others see by it whether the process is alive.
//!
//! Spools cannot show that: they are put away while there is nothing to write, and are held by others who drain what a process
//! left. Only the owner holds this file for itself; others share it for the moment of a look.

use super::folder::Folder;
use std::fs::{File, TryLockError, remove_file};
use std::io;

/// Tries to make a file that is not removed before it is held.
const TRIES: usize = 16;

pub struct Life {
    process: String,
    /// Locked for as long as it is open.
    _file: File,
}

impl Life {
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

    /// Whether the file still has its name.
    #[must_use]
    pub fn is_in_place(&self, folder: &Folder) -> bool {
        folder.life(&self.process).exists()
    }

    /// Removes the file, then lets go of it.
    pub fn end(self, folder: &Folder) {
        // One that stays is removed by the next process that looks for what others left.
        let _stays = remove_file(folder.life(&self.process));
    }

    /// Whether a process is alive that has recorded something.
    #[must_use]
    pub fn is_held(folder: &Folder, process: &str) -> bool {
        is_process(process) && matches!(shared(folder, process), Err(TryLockError::WouldBlock))
    }

    /// Removes the files of processes that are gone and have left no spool.
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

/// The file, if its owner does not hold it.
fn shared(folder: &Folder, process: &str) -> Result<File, TryLockError> {
    let file = folder.owned().read(true).open(folder.life(process)).map_err(TryLockError::Error)?;
    file.try_lock_shared()?;
    Ok(file)
}

/// Names of calls come from outside: nothing else is a name of a file here.
fn is_process(text: &str) -> bool {
    text.len() == 12 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::Life;
    use crate::folder::Folder;
    use crate::samples::{call, open};
    use crate::spool_file::SpoolFile;
    use crate::{CallState, HasResult};
    use std::time::{Duration, Instant};

    #[test]
    fn a_spool_that_another_process_drains_is_not_its_process() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        let folder = Folder::as_is(place.path());
        std::fs::write(folder.spool("0123456789ab.0"), "").unwrap();
        let adopted = SpoolFile::adopt(&folder, "0123456789ab.0").unwrap().unwrap();
        assert_eq!(ledger.call_state("0123456789ab-1", HasResult::No).unwrap(), CallState::Unknown);
        drop(adopted);
    }

    #[test]
    fn a_process_that_rests_with_an_open_call_is_alive() {
        let place = tempfile::tempdir().unwrap();
        let (one, other) = (open(place.path()), open(place.path()));
        let folder = Folder::as_is(place.path());
        let id = one.call_id();
        one.record(&call(&id, &[])).unwrap();
        let until = Instant::now() + Duration::from_secs(60);
        while !folder.spool_names().unwrap().is_empty() {
            assert!(Instant::now() < until, "the spool is put away");
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Running);
        Life::clear(&folder).unwrap();
        assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Running);
        one.close().unwrap();
        assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Unknown);
        assert!(folder.life_names().unwrap().is_empty());
    }

    #[test]
    fn what_a_killed_process_held_is_removed_when_its_spools_are() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::make(place.path()).unwrap();
        std::fs::write(folder.life("0123456789ab"), "").unwrap();
        std::fs::write(folder.spool("0123456789ab.0"), "").unwrap();
        Life::clear(&folder).unwrap();
        assert_eq!(folder.life_names().unwrap(), ["0123456789ab"]);
        std::fs::remove_file(folder.spool("0123456789ab.0")).unwrap();
        Life::clear(&folder).unwrap();
        assert!(folder.life_names().unwrap().is_empty());
    }

    #[test]
    fn the_name_of_a_call_names_no_other_file() {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        assert_eq!(ledger.call_state("../ledger.db-1", HasResult::No).unwrap(), CallState::Unknown);
    }
}
