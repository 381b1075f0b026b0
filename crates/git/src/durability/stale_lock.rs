//! Removal of stale lock files.
//!
//! Git's lock files do not record their owner. A lock file is stale if the previous holder of the repository lock died during a
//! commit, or if it is old: an ordinary command holds a lock for milliseconds.

use crate::limits::MAX_REFS;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

const STALE_AFTER: Duration = Duration::from_mins(1);

/// What is known about the owner of a lock file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// The previous holder of the repository died while it may have held the lock.
    HolderDied,
    AgeOnly,
}

/// Removes the lock file at `path` if it is stale.
pub(crate) fn clear(path: &Path, evidence: Evidence) -> io::Result<()> {
    let age = match std::fs::symlink_metadata(path).and_then(|metadata| metadata.modified()) {
        Ok(modified) => modified.elapsed().unwrap_or_default(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    match evidence {
        Evidence::AgeOnly if age < STALE_AFTER => Ok(()),
        Evidence::AgeOnly | Evidence::HolderDied => match std::fs::remove_file(path) {
            // Removed by its owner meanwhile.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        },
    }
}

/// Adds the lock files below `dir` to `found`; visits at most [`MAX_REFS`] entries.
pub(crate) fn find(dir: &Path, found: &mut Vec<PathBuf>) {
    let mut waiting = vec![dir.to_owned()];
    let mut visited = 0;
    while let Some(dir) = waiting.pop() {
        for entry in std::fs::read_dir(dir).into_iter().flatten().flatten() {
            visited += 1;
            if visited > MAX_REFS {
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
    fn a_lock_is_stale_by_age_or_death_of_its_holder() {
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
