//! Applies file changes to a tree without an index or a work tree.

use super::raw_tree::{self, DIRECTORY, EXECUTABLE, Edit, PLAIN};
use super::tree_entry::Entry;
use super::trees::{Trees, unreadable};
use crate::git_error::GitError;
use git2::Oid;
use std::collections::{BTreeMap, HashMap};

/// Most names that are looked up by linear search.
const MAX_LINEAR_LOOKUPS: usize = 8;
/// A larger directory is read twice instead of being held in memory while its subdirectories change.
const SMALL_BYTES: usize = 64 << 10;

/// The change of a path, and the changes below it.
#[derive(Debug, Default)]
pub(crate) struct TreeUpdate {
    change: Option<Change>,
    below: BTreeMap<String, TreeUpdate>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Write(Entry),
    Remove,
}

impl TreeUpdate {
    /// Sets the blob at `path`; `None` removes it.
    pub(crate) fn set(&mut self, path: &str, blob: Option<Entry>) -> Result<(), GitError> {
        let bad = |reason| GitError::BadPath { path: path.to_owned(), reason };
        let mut node = self;
        for name in path.split('/') {
            if name.is_empty() {
                return Err(bad("the path must be relative and must not have empty segments"));
            }
            if blob.is_some() && matches!(node.change, Some(Change::Write(_))) {
                return Err(bad("the same commit writes a file where this path needs a directory"));
            }
            node = node.below.entry(name.to_owned()).or_default();
        }
        if node.change.is_some() {
            return Err(bad("the same commit changes it twice"));
        }
        if blob.is_some() && node.below.values().any(Self::writes) {
            return Err(bad("the same commit writes files below it"));
        }
        node.change = Some(blob.map_or(Change::Remove, Change::Write));
        Ok(())
    }

    fn writes(&self) -> bool {
        matches!(self.change, Some(Change::Write(_))) || self.below.values().any(Self::writes)
    }

    /// Applies the changes to `base` and writes the trees; `None` if no file remains. Written trees are added to `written`.
    /// Other entries stay unchanged, even if they are unusual.
    pub(crate) fn apply(
        &self,
        trees: &Trees<'_>,
        base: Option<Oid>,
        written: &mut Vec<Oid>,
    ) -> Result<Option<Oid>, GitError> {
        let read = || base.map_or_else(|| Ok(Vec::new()), |base| trees.read(base));
        let content = read()?;
        let existing = self.look_up(&content)?;
        // A large directory is not held in memory during the recursion.
        let small = Some(content).filter(|content| content.len() <= SMALL_BYTES);
        let mut edits = Vec::new();
        for ((name, node), existing) in self.below.iter().zip(existing) {
            let directory = existing.filter(|entry| entry.mode == Some(DIRECTORY)).map(|entry| entry.id);
            if let Some(Change::Write(entry)) = node.change {
                let was_executable = || existing.is_some_and(|entry| entry.mode == Some(EXECUTABLE));
                let mode = entry.mode.unwrap_or_else(|| if was_executable() { EXECUTABLE } else { PLAIN });
                edits.push(Edit { name, entry: Some((entry.id, mode)) });
            } else if let Some(tree) = node.apply(trees, directory, written)? {
                edits.push(Edit { name, entry: Some((tree, DIRECTORY)) });
            } else if existing.is_some() && (directory.is_some() || node.change.is_some()) {
                edits.push(Edit { name, entry: None });
            }
        }
        let content = small.map_or_else(read, Ok)?;
        edits.iter().try_for_each(|edit| refuse_bad(trees, edit))?;
        match raw_tree::edited(&content, &edits).map_err(|_| unreadable())? {
            Some(new) if new == content && base.is_some() => Ok(base),
            Some(new) => {
                let tree = trees.write(&new)?;
                written.push(tree);
                Ok(Some(tree))
            }
            None => Ok(None),
        }
    }

    /// The entries of a tree at each name, in order; the first of duplicates.
    fn look_up(&self, tree: &[u8]) -> Result<Vec<Option<Entry>>, GitError> {
        if self.below.len() <= MAX_LINEAR_LOOKUPS {
            let find = |name: &String| raw_tree::find(tree, name.as_bytes()).map_err(|_| unreadable());
            return self.below.keys().map(|name| Ok(find(name)?.as_ref().map(Entry::of))).collect();
        }
        let mut found: HashMap<&[u8], Option<Entry>> = self.below.keys().map(|name| (name.as_bytes(), None)).collect();
        for entry in raw_tree::entries(tree) {
            let entry = entry.map_err(|_| unreadable())?;
            if let Some(place) = found.get_mut(entry.name) {
                place.get_or_insert(Entry::of(&entry));
            }
        }
        Ok(self.below.keys().map(|name| found.get(name.as_bytes()).copied().flatten()).collect())
    }
}

impl Trees<'_> {
    /// Applies `changes` to `base`; the empty tree if nothing remains.
    pub(crate) fn with_changes(
        &self,
        base: Option<Oid>,
        changes: impl IntoIterator<Item = (String, Option<Entry>)>,
    ) -> Result<Oid, GitError> {
        let mut update = TreeUpdate::default();
        for (path, entry) in changes {
            update.set(&path, entry)?;
        }
        match update.apply(self, base, &mut Vec::new())? {
            Some(tree) => Ok(tree),
            None => self.empty(),
        }
    }
}

/// Refuses names that must never be checked out and missing objects, with the checks of libgit2.
fn refuse_bad(trees: &Trees<'_>, edit: &Edit<'_>) -> Result<(), GitError> {
    let Some((id, mode)) = edit.entry else { return Ok(()) };
    let tried = trees.repository.treebuilder(None).and_then(|mut alone| alone.insert(edit.name, id, mode).map(drop));
    tried.map_err(|error| GitError::git("write a tree", &error))
}

#[cfg(test)]
mod tests {
    use super::{SMALL_BYTES, TreeUpdate};
    use crate::objects::trees::Trees;
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::{Oid, Repository};

    fn updated(repository: &Repository, base: Option<Oid>, changes: &[(&str, Option<&str>)]) -> Option<Oid> {
        let mut update = TreeUpdate::default();
        for (path, content) in changes {
            update.set(path, content.map(|text| repository.blob(text.as_bytes()).unwrap().into())).unwrap();
        }
        update.apply(&Trees::new(repository, limits()), base, &mut Vec::new()).unwrap()
    }

    #[test]
    fn files_are_added_removed_and_replace_directories() {
        let test = TestRepository::new();
        let repository = Repository::open(test.root()).unwrap();
        let names = |tree: Option<Oid>| test.git(&["ls-tree", "-r", "--name-only", &tree.unwrap().to_string()]);
        let first = updated(&repository, None, &[("a/b/c", Some("1")), ("a/d", Some("2")), ("e", Some("3"))]);
        assert_eq!(names(first), "a/b/c\na/d\ne\n");
        let pruned = updated(&repository, first, &[("a/b/c", None)]);
        assert_eq!(names(pruned), "a/d\ne\n");
        let swapped = updated(&repository, first, &[("a", Some("file")), ("e/f", Some("x"))]);
        assert_eq!(names(swapped), "a\ne/f\n");
        let explicit = [("a", Some("file")), ("a/b/c", None), ("a/d", None), ("e", None), ("e/f", Some("x"))];
        assert_eq!(updated(&repository, first, &explicit), swapped);
        let untouched = updated(&repository, first, &[("a", None), ("e/x", None), ("no/such", None)]);
        assert_eq!(untouched, first);
        assert_eq!(updated(&repository, pruned, &[("a/d", None), ("e", None), ("e/x", None)]), None);
    }

    #[test]
    fn large_directories_and_many_names_are_changed_correctly() {
        let test = TestRepository::new();
        let repository = Repository::open(test.root()).unwrap();
        let names: Vec<String> = (0..SMALL_BYTES / 50).map(|index| format!("a/b/{index:050}")).collect();
        let mut changes: Vec<_> = names.iter().map(|name| (name.as_str(), Some("1"))).collect();
        changes.extend([("a/b/c/d", Some("1")), ("a/z", Some("1"))]);
        let first = updated(&repository, None, &changes);
        let removed: Vec<_> = names.iter().skip(1).map(|name| (name.as_str(), None)).collect();
        let rest = updated(&repository, first, &[removed.as_slice(), &[("a/b/c/e", Some("2"))]].concat());
        let left = test.git(&["ls-tree", "-r", "--name-only", &rest.unwrap().to_string()]);
        assert_eq!(left, format!("{}\na/b/c/d\na/b/c/e\na/z\n", names[0]));
        let back = updated(&repository, rest, &[&changes[1..names.len()], &[("a/b/c/e", None)]].concat());
        assert_eq!(back, first);
    }

    #[test]
    fn contradictory_and_invalid_paths_are_refused() {
        let blob = Some(Oid::ZERO_SHA1.into());
        for paths in [["a", "a"], ["a", "a/b"], ["a/b", "a"], ["a", "a/b/c"], ["a/b/c", "a"]] {
            let mut update = TreeUpdate::default();
            update.set(paths[0], blob).unwrap();
            assert!(update.set(paths[1], blob).is_err(), "{paths:?}");
        }
        for path in ["", "/a", "a//b", "a/"] {
            assert!(TreeUpdate::default().set(path, blob).is_err(), "{path}");
        }
    }

    #[test]
    fn names_that_escape_a_checkout_are_refused() {
        let test = TestRepository::new();
        let repository = Repository::open(test.root()).unwrap();
        let blob = repository.blob(b"x").unwrap();
        for path in ["../x", "a/../x", "./x", ".git/hooks/x", "a/.GIT/x"] {
            let mut update = TreeUpdate::default();
            update.set(path, Some(blob.into())).unwrap();
            assert!(update.apply(&Trees::new(&repository, limits()), None, &mut Vec::new()).is_err(), "{path}");
        }
    }
}
