//! The objects of one repository, read without its configuration, attributes, replacements and grafts.

use crate::branches::references::at;
use crate::git_error::GitError;
use crate::objects::object_reader::{self, ReadObject};
use git2::{ObjectType, Odb, Oid, Repository};
use std::collections::HashMap;
use std::path::{Path, PathBuf};

/// Memory for trees that were read: consecutive commits share most of them.
const TREE_CACHE_BYTES: usize = 16 << 20;

pub(crate) struct ObjectFolder {
    repository: Repository,
    folder: PathBuf,
    trees: HashMap<Oid, Vec<u8>>,
    cached: usize,
}

impl ObjectFolder {
    /// The objects of a repository that libgit2 has opened.
    pub(super) fn of(repository: Repository) -> Self {
        let folder = repository.commondir().join("objects");
        Self { repository, folder, trees: HashMap::new(), cached: 0 }
    }

    /// The objects in a folder that may be hostile. Neither alternates nor a configuration are read.
    pub(super) fn open(folder: &Path) -> Result<Self, GitError> {
        let unnamed = || GitError::protocol("its path is not valid UTF-8");
        let path = folder.to_str().ok_or_else(unnamed)?;
        let open = || {
            let odb = Odb::new()?;
            odb.add_disk_alternate(path)?;
            Repository::from_odb(odb)
        };
        let repository = open().map_err(|error| GitError::git("open the repository", &error))?;
        Ok(Self { repository, folder: folder.to_owned(), trees: HashMap::new(), cached: 0 })
    }

    /// The current commit of a repository that libgit2 has opened.
    pub(super) fn head(&self) -> Result<Option<Oid>, GitError> {
        at(&self.repository, "HEAD")
    }

    pub(super) fn read(&self, id: Oid, kind: ObjectType, most: u64) -> Result<ReadObject, GitError> {
        let odb = self.odb()?;
        object_reader::read_in(&odb, &self.folder, id, kind, most)
    }

    /// The bytes of a tree, from the cache if possible.
    pub(super) fn tree(&mut self, id: Oid, most: u64) -> Result<ReadObject, GitError> {
        if let Some(known) = self.trees.get(&id) {
            return Ok(ReadObject::Content(known.clone()));
        }
        let found = self.read(id, ObjectType::Tree, most)?;
        if let ReadObject::Content(content) = &found {
            self.cached += content.len();
            if self.cached > TREE_CACHE_BYTES {
                self.trees.clear();
                self.cached = content.len();
            }
            self.trees.insert(id, content.clone());
        }
        Ok(found)
    }

    pub(super) fn blob_size(&self, id: Oid) -> Option<u64> {
        match self.odb().ok()?.read_header(id) {
            Ok((size, ObjectType::Blob)) => Some(size as u64),
            Ok(_) | Err(_) => None,
        }
    }

    /// The only object whose hash starts with these hexadecimal digits; an error of libgit2 if there is none, or several.
    pub(super) fn find(&self, digits: &str) -> Result<Oid, git2::Error> {
        let short = Oid::from_str(digits)?;
        self.repository.odb()?.exists_prefix(short, digits.len())
    }

    fn odb(&self) -> Result<Odb<'_>, GitError> {
        self.repository.odb().map_err(|error| GitError::git("read an object", &error))
    }
}
