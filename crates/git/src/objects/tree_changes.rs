//! The file-level differences between two trees.

use super::raw_tree::{self, RawEntry};
use super::skipped_files::{SkipReason, SkippedFiles};
use super::tree_entry::Entry;
use super::trees::{Trees, unreadable};
use crate::git_error::GitError;
use crate::limits::{Limit, Limits, MAX_PATH_BYTES, MAX_PATHS_BYTES, MAX_TREE_DEPTH};
use git2::Oid;
use std::cmp::Ordering;

/// A path that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TreeChange {
    pub(crate) path: String,
    pub(crate) old: Option<Entry>,
    pub(crate) new: Option<Entry>,
}

/// All differences, sorted by path.
#[derive(Debug, Default)]
pub(crate) struct TreeChanges {
    pub(crate) all: Vec<TreeChange>,
    /// Entries of the new tree without a valid path: invalid or duplicate names.
    pub(crate) skipped: SkippedFiles,
}

/// Two directories at the same path; one may be missing.
struct Pair {
    /// Ends with a slash unless empty. `None` below a path that is too long.
    path: Option<String>,
    depth: usize,
    old: Option<Oid>,
    new: Option<Oid>,
}

/// Where the bytes of trees come from.
pub(crate) trait TreeSource {
    /// The bytes of a tree.
    fn read(&self, tree: Oid) -> Result<Vec<u8>, GitError>;
    fn limits(&self) -> &Limits;
}

impl TreeSource for Trees<'_> {
    fn read(&self, tree: Oid) -> Result<Vec<u8>, GitError> {
        Trees::read(self, tree)
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// A running comparison.
struct TreeComparison<'t> {
    trees: &'t dyn TreeSource,
    found: TreeChanges,
    waiting: Vec<Pair>,
    /// Remaining budgets: entries, path bytes and tree bytes.
    entries: u64,
    path_bytes: usize,
    bytes: u64,
}

impl Trees<'_> {
    /// The paths at which `new` differs from `old`.
    pub(crate) fn changes(&self, old: Option<Oid>, new: Option<Oid>) -> Result<TreeChanges, GitError> {
        changes_in(self, old, new)
    }
}

/// The paths at which `new` differs from `old`.
pub(crate) fn changes_in(trees: &dyn TreeSource, old: Option<Oid>, new: Option<Oid>) -> Result<TreeChanges, GitError> {
    let mut walk = TreeComparison {
        trees,
        found: TreeChanges::default(),
        waiting: Vec::new(),
        entries: trees.limits().changed_files(),
        path_bytes: MAX_PATHS_BYTES,
        bytes: trees.limits().unpacked_bytes(),
    };
    walk.push(Pair { path: Some(String::new()), depth: 0, old, new })?;
    while let Some(pair) = walk.waiting.pop() {
        walk.compare(&pair)?;
    }
    walk.found.all.sort_unstable_by(|one, other| one.path.cmp(&other.path));
    Ok(walk.found)
}

impl TreeComparison<'_> {
    fn push(&mut self, pair: Pair) -> Result<(), GitError> {
        if pair.old == pair.new {
            return Ok(());
        }
        if pair.depth > MAX_TREE_DEPTH {
            return Err(GitError::RemoteLimit(Limit::TreeDepth));
        }
        self.waiting.push(pair);
        Ok(())
    }

    fn count(&mut self, entries: usize) -> Result<(), GitError> {
        let most = self.trees.limits().changed_files();
        self.entries = self.entries.checked_sub(entries as u64).ok_or(GitError::RemoteLimit(Limit::Files(most)))?;
        Ok(())
    }

    fn read(&mut self, tree: Option<Oid>) -> Result<Vec<u8>, GitError> {
        let content = tree.map(|tree| self.trees.read(tree)).transpose()?.unwrap_or_default();
        let most = self.trees.limits().unpacked_bytes();
        let left = self.bytes.checked_sub(content.len() as u64);
        self.bytes = left.ok_or(GitError::RemoteLimit(Limit::UnpackedBytes(most)))?;
        Ok(content)
    }

    fn compare(&mut self, pair: &Pair) -> Result<(), GitError> {
        let (old, new) = (self.read(pair.old)?, self.read(pair.new)?);
        let (old, _) = raw_tree::sorted(&old).map_err(|_| unreadable())?;
        let (new, others) = raw_tree::sorted(&new).map_err(|_| unreadable())?;
        if others > 0 {
            self.count(others)?;
            let folder = pair.path.as_deref().unwrap_or_default().trim_end_matches('/');
            self.found.skipped.add_many(folder, SkipReason::Name, others);
        }
        let (mut old, mut new) = (old.iter().peekable(), new.iter().peekable());
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(one), Some(other)) => one.name.cmp(other.name),
            };
            let before = if order == Ordering::Greater { None } else { old.next() };
            let after = if order == Ordering::Less { None } else { new.next() };
            self.compare_entry(pair, before, after)?;
        }
    }

    /// Compares the entries of one name in both directories.
    fn compare_entry(
        &mut self,
        pair: &Pair,
        old: Option<&RawEntry<'_>>,
        new: Option<&RawEntry<'_>>,
    ) -> Result<(), GitError> {
        let is_same = |(old, new): (&RawEntry<'_>, &RawEntry<'_>)| old.id == new.id && old.meaning() == new.meaning();
        if old.zip(new).is_some_and(is_same) {
            return Ok(());
        }
        // Entries without a valid path count too.
        self.count(1)?;
        let Some(name) = old.or(new).map(|entry| entry.name) else { return Ok(()) };
        let folder = |entry: Option<&RawEntry<'_>>| entry.filter(|entry| entry.is_directory()).map(|entry| entry.id);
        let file = |entry: Option<&RawEntry<'_>>| entry.filter(|entry| !entry.is_directory()).map(Entry::of);
        let path = pair.path.as_deref().and_then(|path| {
            let name = str::from_utf8(name).ok().filter(|name| path.len() + name.len() <= MAX_PATH_BYTES)?;
            Some(format!("{path}{name}"))
        });
        if path.is_none() && new.is_some() {
            let shown = pair.path.as_deref().unwrap_or_default();
            self.found.skipped.add(&format!("{shown}{}", String::from_utf8_lossy(name)), SkipReason::Name);
        }
        if folder(old).or(folder(new)).is_some() {
            let path = path.clone().map(|path| path + "/");
            self.push(Pair { path, depth: pair.depth + 1, old: folder(old), new: folder(new) })?;
        }
        let (old, new) = (file(old), file(new));
        if let Some(path) = path.filter(|_| old.is_some() || new.is_some()) {
            let left = self.path_bytes.checked_sub(path.len());
            self.path_bytes = left.ok_or(GitError::RemoteLimit(Limit::PathsBytes))?;
            self.found.all.push(TreeChange { path, old, new });
        }
        Ok(())
    }
}
