//! Files of the work tree that differ from the history.

use crate::branches::strategy;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::object_reader;
use crate::objects::tree_changes::TreeChange;
use crate::objects::trees::Trees;
use crate::regular_file;
use crate::store_options::StoreOptions;
use crate::work_tree::checkout::is_plain;
use crate::work_tree::work_tree::WorkTree;
use git2::{ObjectType, Oid, Repository};
use std::collections::{BTreeSet, HashMap};
use std::path::Path;

/// Maximum size of a `.gitignore` file.
const MAX_IGNORE_BYTES: u64 = 64 << 10;

/// How a file differs from the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileState {
    /// Not in the history.
    New,
    Changed,
    /// In the history, but not in the work tree.
    Missing,
}

/// The files of the work tree that differ from the history, sorted by path. `present` are the existing files. Ignored and
/// derived files are skipped.
pub(crate) fn uncommitted(
    repository: &Repository,
    options: &StoreOptions,
    work: &dyn WorkTree,
    present: &BTreeSet<String>,
    deadline: &ExchangeDeadline,
) -> Result<Vec<(String, FileState)>, GitError> {
    let trees = Trees::new(repository, options.limits).with_deadline(deadline);
    let is_ours = |path: &str| work.accepts(path) && !options.derived.iter().any(|derived| derived == path);
    let committed = trees.changes(None, strategy::view(repository, options)?)?.all;
    let mut found = Vec::new();
    for change in committed.iter().filter(|change| is_ours(&change.path)) {
        deadline.remaining()?;
        let state = state_of(&trees, change, present.contains(&change.path), work)?;
        found.extend(state.map(|state| (change.path.clone(), state)));
    }
    let known: BTreeSet<&str> = committed.iter().map(|change| change.path.as_str()).collect();
    let mut ignored = Ignored::new(repository);
    for path in present.iter().filter(|path| !known.contains(path.as_str()) && is_ours(path)) {
        deadline.remaining()?;
        if !ignored.has(path)? {
            found.push((path.clone(), FileState::New));
        }
    }
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    Ok(found)
}

/// How a committed file differs from its committed version.
fn state_of(
    trees: &Trees<'_>,
    committed: &TreeChange,
    is_present: bool,
    work: &dyn WorkTree,
) -> Result<Option<FileState>, GitError> {
    let Some(entry) = committed.new.filter(|entry| entry.mode.is_some_and(is_plain)) else { return Ok(None) };
    if !is_present {
        // A file that is too large to be checked out is not missing.
        let fits =
            object_reader::blob_size(trees.repository, entry.id).is_some_and(|size| size <= trees.limits.file_bytes);
        return Ok(fits.then_some(FileState::Missing));
    }
    // An unreadable file counts as changed.
    let Ok(Some(content)) = work.read(&committed.path) else { return Ok(Some(FileState::Changed)) };
    let own = Oid::hash_object(ObjectType::Blob, &content).map_err(|error| GitError::git("compare a file", &error))?;
    Ok((own != entry.id).then_some(FileState::Changed))
}

/// The rules of `.gitignore` files and the exclude file.
struct Ignored<'r> {
    repository: &'r Repository,
    /// By folder, whether libgit2 may read its `.gitignore`: it blocks on pipes and reads files of any size.
    harmless: HashMap<String, bool>,
}

impl<'r> Ignored<'r> {
    fn new(repository: &'r Repository) -> Self {
        Self { repository, harmless: HashMap::new() }
    }

    fn has(&mut self, path: &str) -> Result<bool, GitError> {
        let Some(root) = self.repository.workdir() else { return Ok(false) };
        let folders = path.match_indices('/').filter_map(|(end, _)| path.get(..end));
        for folder in std::iter::once("").chain(folders) {
            let is_harmless = *self
                .harmless
                .entry(folder.to_owned())
                .or_insert_with(|| regular_file::is_harmless(&root.join(folder).join(".gitignore"), MAX_IGNORE_BYTES));
            if !is_harmless {
                return Ok(false);
            }
        }
        let ignored = self.repository.is_path_ignored(Path::new(path));
        ignored.map_err(|error| GitError::git("read the ignore rules", &error))
    }
}
