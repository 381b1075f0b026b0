//! Bringing the index level with the branch, for chosen paths only.

use super::checkout::is_plain;
use super::head;
use super::work_tree::WorkTree;
use git2::{
    ErrorCode, Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag, IndexTime, ObjectType, Repository, TreeEntry,
};
use std::path::Path;

/// Makes the index entries of `paths` those of the checked-out commit. Everything else in the index stays, so what a
/// person has staged stays staged.
pub(super) fn bring_along<'p>(
    repository: &Repository,
    paths: impl Iterator<Item = &'p str>,
    work: &dyn WorkTree,
) -> Result<(), git2::Error> {
    let Some(commit) = head::target(repository, "HEAD")? else { return Ok(()) };
    let tree = repository.find_commit(commit)?.tree()?;
    let mut index = repository.index()?;
    index.read(false)?;
    let mut changed = false;
    for path in paths {
        match tree.get_path(Path::new(path)) {
            Ok(entry) if entry.kind() != Some(ObjectType::Tree) => {
                if is_plain(entry.filemode()) && work.accepts(path) {
                    changed |= put(&mut index, path, &entry, Place::Disk)?;
                } else {
                    // A name that not even an index may hold stays out of it.
                    changed |= put(&mut index, path, &entry, Place::HistoryOnly).unwrap_or_default();
                }
            }
            Ok(_) => changed |= remove(&mut index, path)?,
            Err(error) if error.code() == ErrorCode::NotFound => changed |= remove(&mut index, path)?,
            Err(error) => return Err(error),
        }
    }
    if !changed {
        return Ok(());
    }
    index.write().inspect_err(|_| {
        // The repository keeps this index: without the changes that did not reach the disk, or they would seem made.
        let _ = index.read(true);
    })
}

/// Where the content of an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Disk,
    /// Links, submodules and impossible names are not checked out, and `git` is told so.
    HistoryOnly,
}

fn put(index: &mut Index, path: &str, entry: &TreeEntry<'_>, place: Place) -> Result<bool, git2::Error> {
    let mode = u32::try_from(entry.filemode()).unwrap_or_default();
    if index.get_path(Path::new(path), 0).is_some_and(|old| old.id == entry.id() && old.mode == mode) {
        return Ok(false);
    }
    let (flags, flags_extended) = match place {
        Place::Disk => (0, 0),
        Place::HistoryOnly => (IndexEntryFlag::EXTENDED.bits(), IndexEntryExtendedFlag::SKIP_WORKTREE.bits()),
    };
    // Also ends a conflict at this path.
    index.remove_path(Path::new(path))?;
    // A size of zero is Git's own mark for "compare the content": no need to look at the work tree here.
    index.add(&IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id: entry.id(),
        flags,
        flags_extended,
        path: path.as_bytes().to_vec(),
    })?;
    Ok(true)
}

fn remove(index: &mut Index, path: &str) -> Result<bool, git2::Error> {
    let before = index.len();
    index.remove_path(Path::new(path))?;
    Ok(index.len() != before)
}
