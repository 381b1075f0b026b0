//! Reads the history of a repository: that of the root, or another one on disk, which may be hostile.

use super::changes::{CachedTrees, ChangedFile};
use super::commit_text::CommitText;
use super::object_folder::ObjectFolder;
use crate::exchange_deadline::Halt;
use crate::git_error::GitError;
use crate::limits::{Limits, MAX_COMMIT_BYTES, MAX_READ_COMMITS};
use crate::objects::object_reader::ReadObject;
use crate::remote::foreign::ForeignRepository;
use crate::store::git_store::GitStore;
use crate::store::{repository_owner, special_files};
use git2::{ErrorCode, ObjectType, Oid};
use parking_lot::Mutex;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::{Path, PathBuf};

/// The hash of an object.
pub type ObjectHash = [u8; 20];

/// Sizes of blobs that are remembered between listings.
const MAX_SIZES: usize = 200_000;
/// Hexadecimal digits of the shortest abbreviation of a hash, and of a hash.
const DIGITS: std::ops::RangeInclusive<usize> = 4..=40;

/// A commit with the files that it changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryCommit {
    pub id: ObjectHash,
    pub parents: Vec<ObjectHash>,
    /// Seconds since 1970.
    pub time: i64,
    pub author: String,
    pub subject: String,
    pub changes: Vec<ChangedFile>,
}

/// A file of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryFile {
    pub path: String,
    pub blob: ObjectHash,
    pub size: u64,
}

/// Reads one repository. Safe to share between threads; each operation excludes the others.
pub struct HistoryReader {
    inner: Mutex<Inner>,
    limits: Limits,
    halt: Halt,
    /// The parents of its oldest commits are missing.
    is_shallow: bool,
}

struct Inner {
    objects: ObjectFolder,
    /// `None` for the root.
    foreign: Option<ForeignRepository>,
    sizes: HashMap<Oid, u64>,
}

impl GitStore {
    /// A reader of the whole history, with its own handle.
    ///
    /// # Errors
    /// `Git`, `SpecialFile`, `NotOwned`.
    pub fn reader(&self, halt: &Halt) -> Result<HistoryReader, GitError> {
        let repository = self.open_again()?;
        let is_shallow = repository.commondir().join("shallow").is_file();
        Ok(HistoryReader::new(ObjectFolder::of(repository), None, self.options.limits, halt, is_shallow))
    }

    /// A reader of another repository, with the same limits, and the canonical path of its folder.
    ///
    /// # Errors
    /// As [`HistoryReader::open`].
    pub fn other_reader(&self, path: &Path, halt: &Halt) -> Result<(HistoryReader, PathBuf), GitError> {
        let path = path.canonicalize().map_err(|_| GitError::NoRepository)?;
        Ok((HistoryReader::open(&path, self.options.limits, halt)?, path))
    }
}

impl HistoryReader {
    /// Opens the repository at exactly `path`, of this user or of root. Its configuration, hooks, filters and alternates are
    /// not used.
    ///
    /// # Errors
    /// `NoRepository`, `NotOwned`, `SpecialFile`, `Git`, `Io`.
    pub fn open(path: &Path, limits: Limits, halt: &Halt) -> Result<Self, GitError> {
        let foreign = ForeignRepository::find(path).map_err(|_| GitError::NoRepository)?;
        repository_owner::check(path, foreign.git_dir(), foreign.common_dir())?;
        special_files::check_folder(foreign.git_dir())?;
        special_files::check_folder(foreign.common_dir())?;
        foreign.check_format()?;
        let objects = ObjectFolder::open(&foreign.common_dir().join("objects"))?;
        let is_shallow = foreign.common_dir().join("shallow").is_file();
        Ok(Self::new(objects, Some(foreign), limits, halt, is_shallow))
    }

    fn new(
        objects: ObjectFolder,
        foreign: Option<ForeignRepository>,
        limits: Limits,
        halt: &Halt,
        is_shallow: bool,
    ) -> Self {
        let inner = Mutex::new(Inner { objects, foreign, sizes: HashMap::new() });
        Self { inner, limits, halt: halt.clone(), is_shallow }
    }

    /// The current commit; `None` before the first one.
    ///
    /// # Errors
    /// `Git`, `Io`.
    pub fn head(&self) -> Result<Option<ObjectHash>, GitError> {
        let inner = self.inner.lock();
        let head = match &inner.foreign {
            Some(foreign) => foreign.refs().map_err(read_limit)?.head,
            None => inner.objects.head()?,
        };
        Ok(head.map(hash))
    }

    /// Finds a commit by its full or abbreviated hash. Other revision syntax is not supported.
    ///
    /// # Errors
    /// `NoSuchCommit`, `AmbiguousCommit`.
    pub fn resolve(&self, commit: &str) -> Result<ObjectHash, GitError> {
        let shown = || commit.chars().take(*DIGITS.end()).collect();
        let missing = || GitError::NoSuchCommit { commit: shown() };
        if !DIGITS.contains(&commit.len()) || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(missing());
        }
        let inner = self.inner.lock();
        let id = inner.objects.find(commit).map_err(|error| {
            if error.code() == ErrorCode::Ambiguous { GitError::AmbiguousCommit { commit: shown() } } else { missing() }
        })?;
        match inner.commit(id)? {
            Some(_) => Ok(hash(id)),
            None => Err(missing()),
        }
    }

    /// The commits that are reachable from `head`, parents first, without those that `known` accepts and their ancestors.
    ///
    /// # Errors
    /// `HistoryTooLarge`, `Incomplete`, `Stopped`, `Git`.
    pub fn new_commits(
        &self,
        head: &ObjectHash,
        known: &dyn Fn(&ObjectHash) -> bool,
    ) -> Result<Vec<ObjectHash>, GitError> {
        enum Step {
            Enter(Oid),
            Leave(Oid),
        }
        let mut order = Vec::new();
        let mut entered = HashSet::new();
        let mut waiting = vec![Step::Enter(oid(head)?)];
        while let Some(step) = waiting.pop() {
            let id = match step {
                Step::Leave(id) => {
                    order.push(hash(id));
                    continue;
                }
                Step::Enter(id) if entered.contains(&id) || known(&hash(id)) => continue,
                Step::Enter(id) => id,
            };
            self.check_halt()?;
            let Some(commit) = self.inner.lock().commit(id)? else {
                if self.is_shallow && !entered.is_empty() {
                    continue;
                }
                return Err(GitError::Incomplete);
            };
            entered.insert(id);
            if entered.len() > MAX_READ_COMMITS {
                return Err(GitError::HistoryTooLarge {
                    reason: format!("it has more than {MAX_READ_COMMITS} commits"),
                });
            }
            waiting.push(Step::Leave(id));
            // The first parent is visited first.
            waiting.extend(commit.parents.into_iter().rev().map(Step::Enter));
        }
        Ok(order)
    }

    /// A commit with the files that it changed, and their renames.
    ///
    /// # Errors
    /// `HistoryTooLarge`, `Incomplete`, `Stopped`, `Git`.
    pub fn commit(&self, id: &ObjectHash) -> Result<HistoryCommit, GitError> {
        self.check_halt()?;
        let inner = &mut *self.inner.lock();
        let commit = inner.commit(oid(id)?)?.ok_or(GitError::Incomplete)?;
        let (mut parents, mut trees) = (Vec::new(), Vec::new());
        for parent in commit.parents {
            match inner.commit(parent)? {
                Some(found) => {
                    parents.push(hash(parent));
                    trees.push(found.tree);
                }
                None if self.is_shallow => {}
                None => return Err(GitError::Incomplete),
            }
        }
        let changes = self.trees(inner).changes(&trees, commit.tree).map_err(read_limit)?;
        let CommitText { author, time, subject, .. } = commit;
        Ok(HistoryCommit { id: *id, parents, time, author, subject, changes })
    }

    /// The regular files of a commit, sorted by path. Links, submodules and files with invalid names are skipped.
    ///
    /// # Errors
    /// `HistoryTooLarge`, `Incomplete`, `Stopped`, `Git`.
    pub fn files(&self, commit: &ObjectHash) -> Result<Vec<HistoryFile>, GitError> {
        self.check_halt()?;
        let inner = &mut *self.inner.lock();
        let tree = inner.commit(oid(commit)?)?.ok_or(GitError::Incomplete)?.tree;
        let files = self.trees(inner).files(tree).map_err(read_limit)?;
        let mut listed = Vec::with_capacity(files.len());
        for (path, blob) in files {
            self.check_halt()?;
            // A missing blob has no text, but its file is in the history.
            let size = inner.size(blob).unwrap_or_default();
            listed.push(HistoryFile { path, blob: hash(blob), size });
        }
        Ok(listed)
    }

    /// The text of a file; `None` if it has more than `most` bytes, or is not UTF-8.
    ///
    /// # Errors
    /// `Git`.
    pub fn text(&self, blob: &ObjectHash, most: u64) -> Result<Option<String>, GitError> {
        self.check_halt()?;
        match self.inner.lock().objects.read(oid(blob)?, ObjectType::Blob, most)? {
            ReadObject::Content(content) => Ok(String::from_utf8(content).ok()),
            ReadObject::TooLarge | ReadObject::Missing => Ok(None),
        }
    }

    fn trees<'i>(&self, inner: &'i mut Inner) -> CachedTrees<'i> {
        CachedTrees { objects: RefCell::new(&mut inner.objects), limits: self.limits }
    }

    fn check_halt(&self) -> Result<(), GitError> {
        if self.halt.is_set() { Err(GitError::Stopped) } else { Ok(()) }
    }
}

impl Inner {
    /// `None` if the object is missing, or not a commit.
    fn commit(&self, id: Oid) -> Result<Option<CommitText>, GitError> {
        match self.objects.read(id, ObjectType::Commit, MAX_COMMIT_BYTES)? {
            ReadObject::Content(content) => Ok(CommitText::parse(&content)),
            ReadObject::TooLarge | ReadObject::Missing => Ok(None),
        }
    }

    fn size(&mut self, blob: Oid) -> Option<u64> {
        if let Some(size) = self.sizes.get(&blob) {
            return Some(*size);
        }
        if self.sizes.len() >= MAX_SIZES {
            self.sizes.clear();
        }
        let size = self.objects.blob_size(blob)?;
        self.sizes.insert(blob, size);
        Some(size)
    }
}

fn hash(id: Oid) -> ObjectHash {
    let mut hash = ObjectHash::default();
    hash.copy_from_slice(id.as_bytes());
    hash
}

fn oid(hash: &ObjectHash) -> Result<Oid, GitError> {
    Oid::from_bytes(hash).map_err(|error| GitError::git("read an object", &error))
}

/// The limits are those of a remote, whose errors would be wrong here.
fn read_limit(error: GitError) -> GitError {
    if let GitError::RemoteLimit(limit) = error {
        return GitError::HistoryTooLarge { reason: limit.reason() };
    }
    error
}

impl fmt::Debug for HistoryReader {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("HistoryReader").field("limits", &self.limits).finish_non_exhaustive()
    }
}
