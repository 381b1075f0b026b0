//! The files that a commit changed.

use super::object_folder::ObjectFolder;
use super::renames::{LoneFile, find_renames};
use crate::git_error::GitError;
use crate::limits::{Limit, Limits};
use crate::objects::object_reader::ReadObject;
use crate::objects::raw_tree::{EXECUTABLE, PLAIN};
use crate::objects::tree_changes::{TreeSource, changes_in};
use crate::objects::tree_entry::Entry;
use git2::Oid;
use std::cell::RefCell;
use std::collections::HashMap;

/// What a commit did to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Modified,
    Deleted,
    Renamed { from: String, similarity: u8 },
}

/// A file that a commit changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    pub kind: ChangeKind,
}

/// The trees of a repository, within the limits of the configuration.
pub(super) struct CachedTrees<'o> {
    pub(super) objects: RefCell<&'o mut ObjectFolder>,
    pub(super) limits: Limits,
}

impl TreeSource for CachedTrees<'_> {
    fn read(&self, tree: Oid) -> Result<Vec<u8>, GitError> {
        let most = self.limits.object_bytes();
        match self.objects.borrow_mut().tree(tree, most)? {
            ReadObject::Content(content) => Ok(content),
            ReadObject::TooLarge => Err(GitError::RemoteLimit(Limit::ObjectBytes(most))),
            ReadObject::Missing => Err(GitError::Incomplete),
        }
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }
}

/// A path that differs, as regular files; `None` for other kinds of entries.
struct FilePair {
    path: String,
    old: Option<Oid>,
    new: Option<Oid>,
}

impl CachedTrees<'_> {
    /// The regular files of a tree, sorted by path.
    pub(super) fn files(&self, tree: Oid) -> Result<Vec<(String, Oid)>, GitError> {
        let pairs = self.pairs(None, tree)?;
        Ok(pairs.into_iter().filter_map(|pair| Some((pair.path, pair.new?))).collect())
    }

    /// The changes of a commit with the tree `new`, sorted by path. Those of a merge differ from all parents.
    pub(super) fn changes(&self, parents: &[Oid], new: Oid) -> Result<Vec<ChangedFile>, GitError> {
        match parents {
            [] => self.ordinary(None, new),
            [parent] => self.ordinary(Some(*parent), new),
            parents => self.merged(parents, new),
        }
    }

    fn pairs(&self, old: Option<Oid>, new: Oid) -> Result<Vec<FilePair>, GitError> {
        let is_file = |entry: &Entry| entry.mode.is_some_and(|mode| mode == PLAIN || mode == EXECUTABLE);
        let found = changes_in(self, old, Some(new))?.all.into_iter().filter_map(|change| {
            let (old, new) = (change.old.filter(is_file), change.new.filter(is_file));
            let id = |entry: Option<Entry>| entry.map(|entry| entry.id);
            (old.is_some() || new.is_some()).then_some(FilePair { path: change.path, old: id(old), new: id(new) })
        });
        Ok(found.collect())
    }

    fn ordinary(&self, old: Option<Oid>, new: Oid) -> Result<Vec<ChangedFile>, GitError> {
        let (mut removed, mut added, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for FilePair { path, old, new } in self.pairs(old, new)? {
            match (old, new) {
                (Some(blob), None) => removed.push(LoneFile { path, blob }),
                (None, Some(blob)) => added.push(LoneFile { path, blob }),
                (Some(_), Some(_)) => changes.push(ChangedFile { path, kind: ChangeKind::Modified }),
                (None, None) => {}
            }
        }
        let renames = match (removed.is_empty(), added.is_empty()) {
            (false, false) => find_renames(&self.objects.borrow(), &removed, &added)?,
            _ => Vec::new(),
        };
        let mut sources: HashMap<usize, (usize, u8)> =
            renames.into_iter().map(|rename| (rename.added, (rename.removed, rename.similarity))).collect();
        for (at, file) in added.into_iter().enumerate() {
            let from = sources.remove(&at).and_then(|(old, similarity)| {
                let from = removed.get_mut(old).map(|file| std::mem::take(&mut file.path))?;
                Some(ChangeKind::Renamed { from, similarity })
            });
            changes.push(ChangedFile { path: file.path, kind: from.unwrap_or(ChangeKind::Added) });
        }
        // The path of a renamed file was taken; no file has an empty path.
        let gone = removed.into_iter().filter(|file| !file.path.is_empty());
        changes.extend(gone.map(|file| ChangedFile { path: file.path, kind: ChangeKind::Deleted }));
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changes)
    }

    fn merged(&self, parents: &[Oid], new: Oid) -> Result<Vec<ChangedFile>, GitError> {
        let mut common: Option<HashMap<String, (bool, bool)>> = None;
        for parent in parents {
            let pairs = self.pairs(Some(*parent), new)?.into_iter();
            let next = pairs.map(|pair| (pair.path, (pair.old.is_some(), pair.new.is_some())));
            common = Some(match common {
                None => next.collect(),
                Some(known) => next
                    .filter_map(|(path, (old, new))| {
                        let (before, _) = known.get(&path)?;
                        Some((path, (*before || old, new)))
                    })
                    .collect(),
            });
            if common.as_ref().is_some_and(HashMap::is_empty) {
                break;
            }
        }
        let mut changes: Vec<ChangedFile> = common
            .unwrap_or_default()
            .into_iter()
            .map(|(path, existed)| {
                let kind = match existed {
                    (_, false) => ChangeKind::Deleted,
                    (false, true) => ChangeKind::Added,
                    (true, true) => ChangeKind::Modified,
                };
                ChangedFile { path, kind }
            })
            .collect();
        changes.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(changes)
    }
}
