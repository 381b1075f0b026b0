//! Writing files again that the system could not bring to the disk: it may have dropped what they hold, and what can still be read
//! of them goes when it needs the memory. As new files they are flushed with the next ones.

use super::damage;
use super::redo_log::Record;
use crate::git_error::GitError;
use crate::plain_file;
use crate::work_tree::work_tree::WorkTree;
use git2::Repository;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::Path;

/// `git gc` clears what has such a name.
const TEMPORARY: &str = "tmp_obj_tgp";

/// Writes every object that is in no pack, and the branches and files of `records`, under the names they have.
pub(super) fn rewrite(repository: &Repository, records: &[Record], work: &dyn WorkTree) -> Result<(), GitError> {
    let failed = GitError::io("write again what was not flushed");
    let objects = repository.commondir().join("objects");
    let mut ids = Vec::new();
    let listed = repository.odb().and_then(|odb| {
        odb.foreach(|id| {
            ids.push(*id);
            true
        })
    });
    listed.map_err(|error| GitError::git("list the objects", &error))?;
    // A rewrite that was killed left it.
    let _ = fs::remove_file(objects.join(TEMPORARY));
    for id in ids {
        replace(&damage::loose_path(repository, &id.to_string()), &objects.join(TEMPORARY)).map_err(&failed)?;
    }
    for name in damage::branches(records).into_keys() {
        let branch = repository.commondir().join(name);
        replace(&branch, &repository.commondir().join(format!("{name}.lock"))).map_err(&failed)?;
    }
    for path in records.iter().flat_map(|record| &record.paths) {
        if let Some(content) = work.read(path).map_err(&failed)? {
            work.write(path, &content).map_err(&failed)?;
        }
    }
    Ok(())
}

/// Puts a new file with the same content in the place of the one at `path`, if there is one.
fn replace(path: &Path, temporary: &Path) -> io::Result<()> {
    let content = match plain_file::read(path, u64::MAX) {
        Ok(content) => content,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    let mut file = plain_file::open(temporary, File::options().write(true).create_new(true))?;
    let replaced = file
        .write_all(&content)
        .and_then(|()| file.set_permissions(fs::metadata(path)?.permissions()))
        .and_then(|()| fs::rename(temporary, path));
    if replaced.is_err() {
        // Under a name that does not matter; for a branch the next writer clears it.
        let _ = fs::remove_file(temporary);
    }
    replaced
}
