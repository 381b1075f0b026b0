//! Bounded reading of the trees of the local repository, which are untrusted.

use super::object_reader::{self, ReadObject};
use super::raw_tree::{self, DIRECTORY};
use super::tree_entry::Entry;
use super::tree_names::TreeNames;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits};
use git2::{ObjectType, Oid, Repository};

#[derive(Clone, Copy)]
pub(crate) struct Trees<'r> {
    pub(crate) repository: &'r Repository,
    pub(crate) limits: Limits,
    deadline: Option<&'r ExchangeDeadline>,
}

impl<'r> Trees<'r> {
    pub(crate) const fn new(repository: &'r Repository, limits: Limits) -> Self {
        Self { repository, limits, deadline: None }
    }

    /// Sets a deadline for reading.
    pub(crate) const fn with_deadline(self, deadline: &'r ExchangeDeadline) -> Self {
        Self { deadline: Some(deadline), ..self }
    }

    /// The tree of a commit; `None` for no commit.
    pub(crate) fn of(&self, commit: Option<Oid>) -> Result<Option<Oid>, GitError> {
        let tree = commit.map(|id| self.repository.find_commit(id).map(|commit| commit.tree_id())).transpose();
        tree.map_err(|error| GitError::git("read a commit", &error))
    }

    /// The bytes of a tree.
    pub(crate) fn read(&self, tree: Oid) -> Result<Vec<u8>, GitError> {
        self.deadline.map_or(Ok(()), |deadline| deadline.remaining().map(drop))?;
        let most = self.limits.object_bytes();
        match object_reader::read(self.repository, tree, ObjectType::Tree, most)? {
            ReadObject::Content(content) => Ok(content),
            ReadObject::TooLarge => Err(GitError::RemoteLimit(Limit::ObjectBytes(most))),
            ReadObject::Missing => Err(GitError::Incomplete),
        }
    }

    /// The entry of `tree` at `path`, unless it is a directory.
    pub(crate) fn entry(&self, tree: Option<Oid>, path: &str) -> Result<Option<Entry>, GitError> {
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

    /// Writes the empty tree.
    pub(crate) fn empty(&self) -> Result<Oid, GitError> {
        self.write(&[])
    }

    pub(crate) fn write(&self, tree: &[u8]) -> Result<Oid, GitError> {
        let written = self.repository.odb().and_then(|odb| odb.write(ObjectType::Tree, tree));
        written.map_err(|error| GitError::git("write a tree", &error))
    }
}

pub(crate) const fn unreadable() -> GitError {
    GitError::protocol("it has an invalid folder")
}

/// Memory for the open directories of a finder, except the innermost.
const OPEN_BYTES: usize = 32 << 20;

/// Looks up many paths of one tree. Directories stay open between lookups, so sorted paths open each one once.
pub(crate) struct Finder<'t, 'r> {
    trees: &'t Trees<'r>,
    root: Option<Oid>,
    open: Vec<Folder>,
    room: usize,
}

struct Folder {
    name: String,
    tree: Oid,
    /// `None` after eviction; read again when needed.
    entries: Option<TreeNames>,
}

impl<'t, 'r> Finder<'t, 'r> {
    pub(crate) const fn new(trees: &'t Trees<'r>, root: Option<Oid>) -> Self {
        Self { trees, root, open: Vec::new(), room: OPEN_BYTES }
    }

    /// As [`Trees::entry`].
    pub(crate) fn entry(&mut self, path: &str) -> Result<Option<Entry>, GitError> {
        let Some(root) = self.root else { return Ok(None) };
        let (folders, name) = path.rsplit_once('/').map_or((None, path), |(folders, name)| (Some(folders), name));
        // The root has the empty name, which no directory has.
        let names: Vec<&str> =
            std::iter::once("").chain(folders.into_iter().flat_map(|path| path.split('/'))).collect();
        let is_open = self.open.iter().zip(&names).take_while(|(folder, name)| folder.name == **name).count();
        self.open.truncate(is_open);
        for name in names.iter().skip(is_open) {
            let tree = match (self.open.is_empty(), self.innermost(name)?) {
                (true, _) => root,
                (false, Some((tree, DIRECTORY))) => tree,
                (false, Some(_) | None) => return Ok(None),
            };
            self.open.push(Folder { name: (*name).to_owned(), tree, entries: None });
        }
        let found = self.innermost(name)?.filter(|(_, mode)| *mode != DIRECTORY);
        Ok(found.map(|(id, mode)| Entry { id, mode: Some(mode) }))
    }

    /// The entry of the innermost open directory at a name.
    fn innermost(&mut self, name: &str) -> Result<Option<(Oid, i32)>, GitError> {
        let Some(folder) = self.open.last_mut() else { return Ok(None) };
        if folder.entries.is_none() {
            folder.entries = Some(TreeNames::new(self.trees.read(folder.tree)?).map_err(|_| unreadable())?);
            self.make_room();
        }
        let entries = self.open.last().and_then(|folder| folder.entries.as_ref());
        let found = entries.and_then(|entries| entries.find(name.as_bytes())).filter(raw_tree::RawEntry::is_named);
        Ok(found.map(|entry| (entry.id, entry.meaning())))
    }

    /// Evicts directories, the outermost first.
    fn make_room(&mut self) {
        let Some((_, outer)) = self.open.split_last_mut() else { return };
        let size = |folder: &Folder| folder.entries.as_ref().map_or(0, TreeNames::bytes);
        let mut bytes: usize = outer.iter().map(size).sum();
        for folder in outer {
            if bytes <= self.room {
                break;
            }
            bytes -= size(folder);
            folder.entries = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Finder, Trees};
    use crate::exchange_deadline::{ExchangeDeadline, Halt};
    use crate::tests::test_repository::{TestRepository, limits};
    use git2::Repository;
    use std::time::Duration;

    #[test]
    fn reading_fails_after_the_deadline() {
        let test = TestRepository::new();
        test.forge("a", b"a");
        let repository = Repository::open(test.root()).unwrap();
        let root = Some(repository.head().unwrap().peel_to_tree().unwrap().id());
        for (seconds, is_read) in [(0, false), (60, true)] {
            let deadline = ExchangeDeadline::new(Duration::from_secs(seconds), &Halt::default());
            let trees = Trees::new(&repository, limits()).with_deadline(&deadline);
            assert_eq!(trees.changes(None, root).is_ok(), is_read);
        }
    }

    #[test]
    fn a_finder_with_little_memory_finds_the_same() {
        let test = TestRepository::new();
        let paths = ["a/b/c/d", "a/b/c/e", "a/b/f", "a/g/h", "a/i", "j", "k/l"];
        for path in paths {
            test.forge(path, path.as_bytes());
        }
        let repository = Repository::open(test.root()).unwrap();
        let trees = Trees::new(&repository, limits());
        let root = Some(repository.head().unwrap().peel_to_tree().unwrap().id());
        let mut finder = Finder::new(&trees, root);
        for room in [0, 100, 1 << 20] {
            finder.room = room;
            for path in paths.into_iter().chain(["a", "a/b", "a/b/c/d/x", "none", "k/", "", "j/l"]) {
                assert_eq!(finder.entry(path).unwrap(), trees.entry(root, path).unwrap(), "{room}: {path}");
                let outer = finder.open.iter().rev().skip(1).filter_map(|folder| folder.entries.as_ref());
                assert!(outer.map(super::TreeNames::bytes).sum::<usize>() <= room);
            }
        }
    }
}
