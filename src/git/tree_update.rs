//! A tree with some files changed, made without an index or a work tree.

use super::git_error::GitError;
use git2::{ObjectType, Oid, Repository, Tree};
use std::collections::BTreeMap;

const PLAIN: i32 = 0o100_644;
const EXECUTABLE: i32 = 0o100_755;
const DIRECTORY: i32 = 0o040_000;

/// What becomes of a name, and of the names below it.
#[derive(Debug, Default)]
pub(super) struct TreeUpdate {
    change: Option<Change>,
    below: BTreeMap<String, TreeUpdate>,
}

#[derive(Debug, Clone, Copy)]
enum Change {
    Write(Entry),
    Remove,
}

/// What a path is to hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: Oid,
    /// `None`: as executable as the file that is there.
    pub(super) mode: Option<i32>,
}

impl From<Oid> for Entry {
    fn from(id: Oid) -> Self {
        Self { id, mode: None }
    }
}

impl TreeUpdate {
    /// Puts `blob` at `path`, or nothing.
    pub(super) fn set(&mut self, path: &str, blob: Option<Entry>) -> Result<(), GitError> {
        let bad = |reason| GitError::BadPath { path: path.to_owned(), reason };
        let mut node = self;
        for name in path.split('/') {
            if name.is_empty() {
                return Err(bad("the path must be relative and without empty parts"));
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

    /// `base` with the changes, written to the repository; `None` when no file is left. Every tree that was written is
    /// added to `written`.
    pub(super) fn apply(
        &self,
        repository: &Repository,
        base: Option<&Tree<'_>>,
        written: &mut Vec<Oid>,
    ) -> Result<Option<Oid>, git2::Error> {
        let mut builder = repository.treebuilder(base)?;
        for (name, node) in &self.below {
            let existing = base.and_then(|base| base.get_name_bytes(name.as_bytes()));
            let directory = match &existing {
                Some(entry) if entry.kind() == Some(ObjectType::Tree) => Some(repository.find_tree(entry.id())?),
                _ => None,
            };
            if let Some(Change::Write(entry)) = node.change {
                let kept = || existing.is_some_and(|entry| entry.filemode() == EXECUTABLE);
                let mode = entry.mode.unwrap_or_else(|| if kept() { EXECUTABLE } else { PLAIN });
                builder.insert(name.as_str(), entry.id, mode)?;
            } else if let Some(tree) = node.apply(repository, directory.as_ref(), written)? {
                builder.insert(name.as_str(), tree, DIRECTORY)?;
            } else if existing.is_some() && (directory.is_some() || node.change.is_some()) {
                builder.remove(name.as_str())?;
            }
        }
        if builder.is_empty() {
            return Ok(None);
        }
        let tree = builder.write()?;
        written.push(tree);
        Ok(Some(tree))
    }
}

#[cfg(test)]
mod tests {
    use super::TreeUpdate;
    use crate::git::test_repository::TestRepository;
    use git2::{Oid, Repository};

    fn updated(repository: &Repository, base: Option<Oid>, changes: &[(&str, Option<&str>)]) -> Option<Oid> {
        let base = base.map(|id| repository.find_tree(id).unwrap());
        let mut update = TreeUpdate::default();
        for (path, content) in changes {
            update.set(path, content.map(|text| repository.blob(text.as_bytes()).unwrap().into())).unwrap();
        }
        update.apply(repository, base.as_ref(), &mut Vec::new()).unwrap()
    }

    #[test]
    fn files_come_go_and_take_the_place_of_directories() {
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
    fn contradictory_and_odd_paths_are_refused() {
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
            assert!(update.apply(&repository, None, &mut Vec::new()).is_err(), "{path}");
        }
    }
}
