//! Checkout of files to the work tree.
//!
//! The content is untrusted: only regular files are written, through the jail of the work tree and without conversion.
//! Symbolic links, submodules and invalid names stay in the history; the index marks them as not checked out.

use super::work_tree::WorkTree;
use crate::git_error::GitError;
use crate::limits::Limit;
use crate::objects::object_reader::{self, ReadObject};
use crate::objects::raw_tree::{EXECUTABLE, PLAIN};
use crate::objects::skipped_files::{SkipReason, SkippedFiles};
use crate::objects::tree_changes::TreeChange;
use crate::objects::trees::{Finder, Trees};
use git2::{ObjectType, Oid};
use std::io;

/// Whether a mode is that of a regular file.
pub(crate) const fn is_plain(mode: i32) -> bool {
    matches!(mode, PLAIN | EXECUTABLE)
}

/// Checks `changes` before any is applied: returns the files that are skipped; an error if objects are missing or limits
/// exceeded.
pub(crate) fn survey(trees: &Trees<'_>, changes: &[TreeChange], work: &dyn WorkTree) -> Result<SkippedFiles, GitError> {
    let mut skipped = SkippedFiles::default();
    let most = trees.limits.root_bytes;
    let mut room = most;
    for change in changes {
        let Some(entry) = change.new else { continue };
        if !entry.mode.is_some_and(is_plain) {
            skipped.add(&change.path, SkipReason::Mode);
        } else if !work.accepts(&change.path) {
            skipped.add(&change.path, SkipReason::Name);
        } else {
            let size = object_reader::blob_size(trees.repository, entry.id).ok_or(GitError::Incomplete)?;
            if size > trees.limits.file_bytes {
                skipped.add(&change.path, SkipReason::Size);
            } else {
                room = room.checked_sub(size).ok_or(GitError::RemoteLimit(Limit::RootBytes(most)))?;
            }
        }
    }
    Ok(skipped)
}

/// Updates the files at `paths` to `view`. Skips paths that are not regular files, and held-back files whose content is not in
/// the repository.
pub(crate) fn place<'p>(
    trees: &Trees<'_>,
    view: Option<Oid>,
    paths: impl Iterator<Item = &'p str>,
    work: &dyn WorkTree,
) -> Result<(), GitError> {
    let failed = GitError::io("write a file of the work tree");
    let mut writes = Vec::new();
    let mut finder = Finder::new(trees, view);
    for path in paths.filter(|path| work.accepts(path)) {
        if is_held_back_here_alone(trees, path, work) {
            continue;
        }
        match finder.entry(path)?.filter(|entry| entry.mode.is_some_and(is_plain)) {
            // Removals come first: a directory may replace a file of the same name.
            None => tolerate(work.remove(path)).map_err(&failed)?,
            Some(entry) => writes.push((path, entry.id)),
        }
    }
    for (path, id) in writes {
        match object_reader::read(trees.repository, id, ObjectType::Blob, trees.limits.file_bytes)? {
            ReadObject::Content(content) => {
                if work.read(path).ok().flatten().is_none_or(|present| present != content) {
                    tolerate(work.write(path, &content)).map_err(&failed)?;
                }
            }
            ReadObject::TooLarge => tolerate(work.remove(path)).map_err(&failed)?,
            ReadObject::Missing => return Err(GitError::Incomplete),
        }
    }
    Ok(())
}

/// The files that [`place`] would replace or remove and whose content is not in the repository. Empty files are ignored,
/// because a power cut truncates files.
pub(crate) fn unknown<'p>(
    trees: &Trees<'_>,
    view: Option<Oid>,
    paths: impl Iterator<Item = &'p str>,
    work: &dyn WorkTree,
) -> Result<Vec<(String, Vec<u8>)>, GitError> {
    let mut found = Vec::new();
    let mut finder = Finder::new(trees, view);
    for path in paths.filter(|path| work.accepts(path)) {
        let Ok(Some(present)) = work.read(path) else { continue };
        let is_there = finder.entry(path)?.is_some_and(|entry| blob_id(&present) == Some(entry.id));
        if !is_there && !present.is_empty() && !is_known(trees, &present) && !work.is_held_back(path, &present) {
            found.push((path.to_owned(), present));
        }
    }
    Ok(found)
}

/// Whether the file at `path` must not be committed and its content is not in the repository.
fn is_held_back_here_alone(trees: &Trees<'_>, path: &str, work: &dyn WorkTree) -> bool {
    let Ok(Some(present)) = work.read(path) else { return false };
    !is_known(trees, &present) && work.is_held_back(path, &present)
}

fn is_known(trees: &Trees<'_>, content: &[u8]) -> bool {
    blob_id(content).is_some_and(|id| trees.repository.odb().is_ok_and(|objects| objects.exists(id)))
}

fn blob_id(content: &[u8]) -> Option<Oid> {
    Oid::hash_object(ObjectType::Blob, content).ok()
}

/// The files at the paths of `changes` with neither the old nor the new content: uncommitted edits.
pub(crate) fn uncommitted(changes: &[TreeChange], work: &dyn WorkTree) -> Result<Vec<(String, Vec<u8>)>, GitError> {
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
