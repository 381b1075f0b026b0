//! Updates index entries to match a commit.

use super::checkout::is_plain;
use super::index_file::{self, Change, Patched};
use super::work_tree::WorkTree;
use crate::git_error::GitError;
use crate::objects::object_reader;
use crate::objects::tree_entry::Entry;
use crate::objects::trees::{Finder, Trees};
use git2::{Index, IndexEntry, IndexEntryExtendedFlag, IndexEntryFlag, IndexTime, Oid, Repository};
use std::path::{Component, Path};

/// Updates the index entries of `paths` to `commit`. Other entries, including staged changes, are kept.
pub(crate) fn update_entries<'p>(
    trees: &Trees<'_>,
    commit: Oid,
    paths: impl Iterator<Item = &'p str>,
    work: &dyn WorkTree,
) -> Result<(), git2::Error> {
    let other = |error: GitError| git2::Error::from_str(&error.to_string());
    let repository = trees.repository;
    let mut finder = Finder::new(trees, trees.of(Some(commit)).map_err(other)?);
    let mut targets = Vec::new();
    for path in paths {
        let entry = finder.entry(path).map_err(other)?;
        targets.push((path, entry.map(|entry| IndexTarget::new(trees, entry, path, work))));
    }
    let plain = |(path, target): &(&'p str, Option<IndexTarget>)| match target {
        Some(IndexTarget { presence: Presence::HistoryOnly, .. }) => None,
        Some(IndexTarget { id, mode, presence: Presence::OnDisk }) => Some(Change { path, file: Some((*id, *mode)) }),
        None => Some(Change { path, file: None }),
    };
    match targets.iter().map(plain).collect::<Option<Vec<_>>>() {
        Some(changes) if index_file::patch(repository.path(), &changes)? == Patched::Done => Ok(()),
        Some(_) | None => rewrite(repository, &targets),
    }
}

/// Fallback with libgit2, for any index and any entry.
fn rewrite(repository: &Repository, targets: &[(&str, Option<IndexTarget>)]) -> Result<(), git2::Error> {
    let mut index = repository.index()?;
    index.read(false)?;
    let mut changed = false;
    // Names that are invalid in an index are skipped; libgit2 would panic on them.
    let can_hold = |path: &str| Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    for (path, target) in targets.iter().filter(|(path, _)| can_hold(path)) {
        match target {
            Some(target) if target.presence == Presence::OnDisk => changed |= put(&mut index, path, target)?,
            // Names that are invalid on this system are skipped.
            Some(target) => changed |= put(&mut index, path, target).unwrap_or_default(),
            None => changed |= remove(&mut index, path)?,
        }
    }
    if !changed {
        return Ok(());
    }
    index.write().inspect_err(|_| {
        // The repository caches this index: discard the changes that were not written.
        let _ = index.read(true);
    })
}

/// The target entry of a path.
#[derive(Debug, Clone, Copy)]
struct IndexTarget {
    id: Oid,
    mode: u32,
    presence: Presence,
}

impl IndexTarget {
    fn new(trees: &Trees<'_>, entry: Entry, path: &str, work: &dyn WorkTree) -> Self {
        let mode = entry.mode.unwrap_or_default();
        let fits =
            || object_reader::blob_size(trees.repository, entry.id).is_some_and(|size| size <= trees.limits.file_bytes);
        let is_here = is_plain(mode) && work.accepts(path) && fits();
        let presence = if is_here { Presence::OnDisk } else { Presence::HistoryOnly };
        Self { id: entry.id, mode: mode.cast_unsigned(), presence }
    }
}

/// Whether an entry is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Presence {
    OnDisk,
    /// Not checked out: links, submodules, invalid names and large files. Marked `skip-worktree`.
    HistoryOnly,
}

fn put(index: &mut Index, path: &str, target: &IndexTarget) -> Result<bool, git2::Error> {
    let IndexTarget { id, mode, presence } = *target;
    #[expect(clippy::disallowed_methods, reason = "the path was checked before")]
    let old = index.get_path(Path::new(path), 0);
    if old.is_some_and(|old| old.id == id && old.mode == mode) {
        return Ok(false);
    }
    let (flags, flags_extended) = match presence {
        Presence::OnDisk => (0, 0),
        Presence::HistoryOnly => (IndexEntryFlag::EXTENDED.bits(), IndexEntryExtendedFlag::SKIP_WORKTREE.bits()),
    };
    // Also resolves a conflict at this path.
    index.remove_path(Path::new(path))?;
    // A zero size makes Git compare the content, so the work tree is not read here.
    index.add(&IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode,
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
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
