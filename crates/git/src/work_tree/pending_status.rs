//! Hides files of other pending branches from `git status`.
//!
//! With pull requests the current branch is that of one tool, and the work tree shows the pending tools of all branches. New
//! files of other branches are excluded, and their changed files are marked `skip-worktree` in the index.

use super::checkout::is_plain;
use super::exclude_file;
use super::work_tree::WorkTree;
use crate::branches::head;
use crate::branches::strategy::view;
use crate::git_error::GitError;
use crate::objects::object_reader;
use crate::objects::trees::Trees;
use crate::store_options::StoreOptions;
use git2::{IndexEntryExtendedFlag, IndexEntryFlag, Repository};
use std::collections::HashSet;

/// Updates the excluded files and the index marks for the current branches.
pub(crate) fn hide_others(
    repository: &Repository,
    options: &StoreOptions,
    work: &dyn WorkTree,
) -> Result<(), git2::Error> {
    let other = |error: GitError| git2::Error::from_str(&error.to_string());
    let head = head::target(repository, "HEAD")?;
    let trees = Trees::new(repository, options.limits);
    let own = trees.of(head).map_err(other)?;
    let shown = view(repository, options).map_err(other)?;
    let others = trees.changes(own, shown).map_err(other)?.all;
    let (added, changed): (Vec<_>, Vec<_>) = others.iter().partition(|change| change.old.is_none());
    exclude_file::set_others(repository, added.iter().map(|change| change.path.as_str()))
        .map_err(|error| git2::Error::from_str(&error.kind().to_string()))?;
    mark(&trees, &changed.iter().map(|change| change.path.as_str()).collect(), work)
}

/// Marks the index entries of `others` and unmarks all other regular files.
fn mark(trees: &Trees<'_>, others: &HashSet<&str>, work: &dyn WorkTree) -> Result<(), git2::Error> {
    let skip = IndexEntryExtendedFlag::SKIP_WORKTREE.bits();
    let mut index = trees.repository.index()?;
    index.read(false)?;
    let mut wrong = Vec::new();
    for mut entry in index.iter() {
        let Ok(path) = str::from_utf8(&entry.path) else { continue };
        let is_ours = is_plain(entry.mode.cast_signed()) && work.accepts(path);
        let (is, must) = (entry.flags_extended & skip != 0, others.contains(path));
        // A file that is too large to be checked out stays marked.
        let fits =
            || object_reader::blob_size(trees.repository, entry.id).is_some_and(|size| size <= trees.limits.file_bytes);
        if is_ours && is != must && fits() {
            entry.flags_extended ^= skip;
            entry.flags = if must { IndexEntryFlag::EXTENDED.bits() } else { 0 };
            wrong.push(entry);
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    for entry in &wrong {
        index.add(entry)?;
    }
    index.write().inspect_err(|_| {
        // The repository caches this index: discard the changes that were not written.
        let _ = index.read(true);
    })
}
