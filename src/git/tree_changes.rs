//! What differs between two trees, file by file.

use super::git_error::GitError;
use super::tree_update::{Entry, TreeUpdate};
use git2::{DiffFile, DiffOptions, Oid, Repository, Tree};

/// One path that two trees disagree about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct TreeChange {
    pub(super) path: String,
    pub(super) old: Option<Entry>,
    pub(super) new: Option<Entry>,
}

/// The paths at which `new` differs from `old`, sorted. A name that is no UTF-8 is left out: no agent can have made it.
pub(super) fn tree_changes(
    repository: &Repository,
    old: Option<&Tree<'_>>,
    new: Option<&Tree<'_>>,
) -> Result<Vec<TreeChange>, GitError> {
    let mut options = DiffOptions::new();
    options.include_typechange(true);
    let diff = repository
        .diff_tree_to_tree(old, new, Some(&mut options))
        .map_err(|error| GitError::git("compare two versions", &error))?;
    let changes = diff.deltas().filter_map(|delta| {
        let (old, new) = (delta.old_file(), delta.new_file());
        let path = new.path_bytes().or_else(|| old.path_bytes())?;
        Some(TreeChange { path: str::from_utf8(path).ok()?.to_owned(), old: entry(&old), new: entry(&new) })
    });
    Ok(changes.collect())
}

/// The tree of a commit; `None` for no commit.
pub(super) fn tree_of(repository: &Repository, commit: Option<Oid>) -> Result<Option<Tree<'_>>, GitError> {
    let tree = commit.map(|id| repository.find_commit(id).and_then(|commit| commit.tree())).transpose();
    tree.map_err(|error| GitError::git("read a commit", &error))
}

/// What `tree` has at `path`, if that is a file.
pub(super) fn entry_at(tree: Option<&Tree<'_>>, path: &str) -> Option<Entry> {
    let entry = tree?.get_path(std::path::Path::new(path)).ok()?;
    (entry.kind() != Some(git2::ObjectType::Tree)).then(|| Entry { id: entry.id(), mode: Some(entry.filemode()) })
}

/// `base` with `changes` put in; the empty tree when nothing is left.
pub(super) fn with_changes<'r>(
    repository: &'r Repository,
    base: Option<&Tree<'_>>,
    changes: impl IntoIterator<Item = (String, Option<Entry>)>,
) -> Result<Tree<'r>, GitError> {
    let failed = |error: git2::Error| GitError::git("write a tree", &error);
    let mut update = TreeUpdate::default();
    for (path, entry) in changes {
        update.set(&path, entry)?;
    }
    let tree = match update.apply(repository, base, &mut Vec::new()).map_err(failed)? {
        Some(tree) => tree,
        None => repository.treebuilder(None).and_then(|empty| empty.write()).map_err(failed)?,
    };
    repository.find_tree(tree).map_err(failed)
}

fn entry(file: &DiffFile<'_>) -> Option<Entry> {
    file.exists().then(|| Entry { id: file.id(), mode: Some(u32::from(file.mode()).cast_signed()) })
}
