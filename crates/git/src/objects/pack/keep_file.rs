//! The `.keep` file of a pack: while it exists, `git` neither removes the pack nor repacks its objects.
//!
//! A new pack that replaces other copies of its objects is kept until those copies are gone. Otherwise a `git repack` that
//! starts between both steps finds the pack and the copies, relies on the copies, and removes the pack.

use super::finish::Temporary;
use crate::regular_file;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The content of our files, which distinguishes them from those of users and of `git`.
const MARK: &str = "tgp: until the other copies of the objects are removed\n";

/// Removed on drop.
#[derive(Debug)]
pub(crate) struct KeepFile(PathBuf);

impl KeepFile {
    /// Keeps `pack`, which must not be visible yet.
    pub(super) fn create(pack: &Path) -> io::Result<Self> {
        let dir = pack.parent().ok_or(io::ErrorKind::InvalidInput)?;
        let mut temporary = Temporary::new(dir, "keep")?;
        temporary.file.write_all(MARK.as_bytes())?;
        let path = pack.with_extension("keep");
        temporary.keep(&path)?;
        Ok(Self(path))
    }
}

impl Drop for KeepFile {
    fn drop(&mut self) {
        // Otherwise the next packing round removes it.
        let _ = fs::remove_file(&self.0);
    }
}

/// Removes the files of killed processes. The caller holds the lock for packing, so no process is using them.
pub(crate) fn clear_abandoned(packs: &Path) {
    let Ok(entries) = fs::read_dir(packs) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        let is_keep = path.extension().is_some_and(|kind| kind == "keep");
        if is_keep && regular_file::read(&path, MARK.len() as u64).is_ok_and(|text| text == MARK.as_bytes()) {
            // A failure is retried by the next round.
            let _ = fs::remove_file(path);
        }
    }
}
