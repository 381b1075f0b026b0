//! Lock files that their makers did not live to remove.
//!
//! Git's own locks are plain files: nothing tells whether their maker is alive. Two facts serve as evidence. If the
//! process that held the repository before us died in the middle of a commit, a lock found now is its. Otherwise age
//! decides: an ordinary command holds a lock for milliseconds.

use crate::limits::MAX_REFS;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const STALE_AFTER: Duration = Duration::from_mins(1);

/// What is known about the maker of a lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The previous holder of the repository died while it may have held the lock.
    HolderDied,
    AgeOnly,
}

/// Removes the lock file at `path` if its maker is gone for all that is known.
pub(crate) fn clear(path: &Path, evidence: Evidence) -> io::Result<()> {
    let age = match std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified()) {
        Ok(modified) => modified.elapsed().unwrap_or_default(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match evidence {
        Evidence::AgeOnly if age < STALE_AFTER => Ok(()),
        Evidence::AgeOnly | Evidence::HolderDied => match std::fs::remove_file(path) {
            // Its maker was alive after all and has just removed it.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        },
    }
}

/// Adds every lock file below `dir` to `found`, as far as a repository can have them.
pub(crate) fn find(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut waiting = vec![dir.to_owned()];
    let mut met = 0;
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            met += 1;
            if met > MAX_REFS {
                return;
            }
            let path = entry.path();
            if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                waiting.push(path);
            } else if path.extension().is_some_and(|extension| extension == "lock") {
                found.push(path);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Evidence, STALE_AFTER, clear};
    use std::fs::File;
    use std::time::SystemTime;

    #[test]
    fn age_or_the_death_of_the_holder_decides() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("index.lock");
        clear(&path, Evidence::AgeOnly).unwrap();
        let file = File::create(&path).unwrap();
        clear(&path, Evidence::AgeOnly).unwrap();
        assert!(path.exists(), "a young lock may have a living holder");
        clear(&path, Evidence::HolderDied).unwrap();
        assert!(!path.exists());
        drop(file);
        File::create(&path).unwrap().set_modified(SystemTime::now() - STALE_AFTER * 2).unwrap();
        clear(&path, Evidence::AgeOnly).unwrap();
        assert!(!path.exists());
    }
}
