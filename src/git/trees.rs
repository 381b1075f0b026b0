//! The trees of the local repository. They may be anybody's: nothing here goes deeper, reads more or believes more than it
//! was told to.

use super::git_error::GitError;
use super::limits::{Limit, Limits};
use super::objects::{self, Found};
use super::raw_tree::{self, DIRECTORY};
use super::tree_update::{Entry, TreeUpdate};
use git2::{ObjectType, Oid, Repository};
use std::collections::HashMap;

#[derive(Clone, Copy)]
pub(super) struct Trees<'r> {
    pub(super) repository: &'r Repository,
    pub(super) limits: Limits,
}

impl<'r> Trees<'r> {
    pub(super) const fn new(repository: &'r Repository, limits: Limits) -> Self {
        Self { repository, limits }
    }

    /// The tree of a commit; `None` for no commit.
    pub(super) fn of(&self, commit: Option<Oid>) -> Result<Option<Oid>, GitError> {
        let tree = commit.map(|id| self.repository.find_commit(id).map(|commit| commit.tree_id())).transpose();
        tree.map_err(|error| GitError::git("read a commit", &error))
    }

    /// The bytes of a tree.
    pub(super) fn read(&self, tree: Oid) -> Result<Vec<u8>, GitError> {
        let most = self.limits.object_bytes();
        match objects::read(self.repository, tree, ObjectType::Tree, most)? {
            Found::Content(content) => Ok(content),
            Found::TooLarge => Err(GitError::RemoteLimit(Limit::ObjectBytes(most))),
            Found::Nothing => Err(GitError::Incomplete),
        }
    }

    /// What `tree` has at `path`, if that is no folder.
    pub(super) fn entry(&self, tree: Option<Oid>, path: &str) -> Result<Option<Entry>, GitError> {
        let mut next = tree;
        let mut names = path.split('/').peekable();
        while let (Some(tree), Some(name)) = (next.take(), names.next()) {
            let content = self.read(tree)?;
            let found = raw_tree::find(&content, name.as_bytes()).map_err(|_| unreadable())?;
            match found.filter(raw_tree::RawEntry::is_named) {
                Some(entry) if entry.is_directory() && names.peek().is_some() => next = Some(entry.id),
                Some(entry) if !entry.is_directory() && names.peek().is_none() => return Ok(Some(Entry::of(&entry))),
                Some(_) | None => {}
            }
        }
        Ok(None)
    }

    /// `base` with `changes` put in; the empty tree when nothing is left.
    pub(super) fn with_changes(
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

    /// The tree without entries, written.
    pub(super) fn empty(&self) -> Result<Oid, GitError> {
        self.write(&[])
    }

    pub(super) fn write(&self, tree: &[u8]) -> Result<Oid, GitError> {
        let written = self.repository.odb().and_then(|odb| odb.write(ObjectType::Tree, tree));
        written.map_err(|error| GitError::git("write a tree", &error))
    }
}

pub(super) const fn unreadable() -> GitError {
    GitError::protocol("it has a folder that cannot be read")
}

/// Looks for many paths of one tree. Folders stay open from one question to the next: sorted paths open each once.
pub(super) struct Finder<'t, 'r> {
    trees: &'t Trees<'r>,
    root: Option<Oid>,
    open: Vec<(String, Folder)>,
}

type Folder = HashMap<Vec<u8>, (Oid, i32)>;

impl<'t, 'r> Finder<'t, 'r> {
    pub(super) const fn new(trees: &'t Trees<'r>, root: Option<Oid>) -> Self {
        Self { trees, root, open: Vec::new() }
    }

    /// As [`Trees::entry`].
    pub(super) fn entry(&mut self, path: &str) -> Result<Option<Entry>, GitError> {
        let Some(root) = self.root else { return Ok(None) };
        let (folders, name) = path.rsplit_once('/').map_or((None, path), |(folders, name)| (Some(folders), name));
        // The root goes by a name that no folder has.
        let names: Vec<&str> =
            std::iter::once("").chain(folders.into_iter().flat_map(|path| path.split('/'))).collect();
        let is_open = self.open.iter().zip(&names).take_while(|((open, _), name)| open == *name).count();
        self.open.truncate(is_open);
        for name in names.iter().skip(is_open) {
            let tree = match self.open.last() {
                None => root,
                Some((_, folder)) => match folder.get(name.as_bytes()) {
                    Some((tree, DIRECTORY)) => *tree,
                    Some(_) | None => return Ok(None),
                },
            };
            let folder = self.folder(tree)?;
            self.open.push(((*name).to_owned(), folder));
        }
        let found = self.open.last().and_then(|(_, folder)| folder.get(name.as_bytes()));
        Ok(found.filter(|(_, mode)| *mode != DIRECTORY).map(|(id, mode)| Entry { id: *id, mode: Some(*mode) }))
    }

    fn folder(&self, tree: Oid) -> Result<Folder, GitError> {
        let content = self.trees.read(tree)?;
        let mut folder = Folder::new();
        for entry in raw_tree::entries(&content) {
            let entry = entry.map_err(|_| unreadable())?;
            if entry.is_named() {
                folder.entry(entry.name.to_owned()).or_insert((entry.id, entry.meaning()));
            }
        }
        Ok(folder)
    }
}
