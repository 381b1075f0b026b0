//! Bringing files of the work tree to what the view holds.
//!
//! The content comes from others and is taken for hostile: only plain files are made, through the jail of the work tree,
//! byte by byte as they are stored. Symbolic links, submodules and impossible names stay in the history; the index marks
//! them as not checked out.

use super::git_error::GitError;
use super::tree_changes::{TreeChange, entry_at};
use super::work_tree::WorkTree;
use git2::{Repository, Tree};
use std::io;

const PLAIN: i32 = 0o100_644;
const EXECUTABLE: i32 = 0o100_755;

/// Whether an entry of this mode is a plain file.
pub(super) const fn is_plain(mode: i32) -> bool {
    matches!(mode, PLAIN | EXECUTABLE)
}

/// Makes the files at `paths` what `view` has there. A path at which something other than a file stands is left alone.
pub(super) fn place<'p>(
    repository: &Repository,
    view: Option<&Tree<'_>>,
    paths: impl Iterator<Item = &'p str>,
    work: &dyn WorkTree,
) -> Result<(), GitError> {
    let failed = GitError::io("write a file of the work tree");
    let mut writes = Vec::new();
    for path in paths.filter(|path| work.accepts(path)) {
        match entry_at(view, path).filter(|entry| entry.mode.is_some_and(is_plain)) {
            // A file may have to make room for a directory of the same name: removals come first.
            None => tolerate(work.remove(path)).map_err(&failed)?,
            Some(entry) => writes.push((path, entry.id)),
        }
    }
    for (path, id) in writes {
        let blob = repository.find_blob(id).map_err(|error| GitError::git("read a file's content", &error))?;
        if work.read(path).ok().flatten().is_none_or(|present| present != blob.content()) {
            tolerate(work.write(path, blob.content())).map_err(&failed)?;
        }
    }
    Ok(())
}

/// The files at the paths of `changes` that hold neither the old nor the new content: somebody's work without a commit.
pub(super) fn uncommitted(changes: &[TreeChange], work: &dyn WorkTree) -> Result<Vec<(String, Vec<u8>)>, GitError> {
    let mut found = Vec::new();
    for change in changes.iter().filter(|change| work.accepts(&change.path)) {
        let Ok(Some(present)) = work.read(&change.path) else { continue };
        let id = git2::Oid::hash_object(git2::ObjectType::Blob, &present)
            .map_err(|error| GitError::git("compare a file", &error))?;
        if [&change.old, &change.new].iter().all(|entry| entry.is_none_or(|entry| entry.id != id)) {
            found.push((change.path.clone(), present));
        }
    }
    Ok(found)
}

fn tolerate(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => Ok(()),
        result => result,
    }
}
