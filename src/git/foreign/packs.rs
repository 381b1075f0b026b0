//! The packs of a repository, as few of them open as need be.

use crate::git::git_error::GitError;
use crate::git::pack::PackIndex;
use crate::git::plain_file;
use git2::Oid;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Packs that are looked through; `git gc` makes one of fifty.
const MAX_PACKS: usize = 1000;
/// Packs that are open at one time.
const MAX_OPEN: usize = 64;

pub(super) struct Packs(Vec<Pack>);

struct Pack {
    index: PathBuf,
    /// Its files while they are open.
    files: Option<(PackIndex, File)>,
}

impl Packs {
    /// Finds the packs in a folder of objects.
    pub(super) fn find(objects: &Path) -> Result<Self, GitError> {
        let failed = GitError::io("read the objects of the remote");
        let folder = match std::fs::read_dir(objects.join("pack")) {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Self(Vec::new())),
            Err(error) => return Err(failed(error)),
        };
        let mut packs = Vec::new();
        for entry in folder {
            let index = entry.map_err(&failed)?.path();
            if index.extension().is_some_and(|extension| extension == "idx") {
                packs.push(Pack { index, files: None });
            }
            if packs.len() > MAX_PACKS {
                return Err(GitError::protocol("it has too many packs; run `git gc` in it"));
            }
        }
        Ok(Self(packs))
    }

    /// The pack that has the object, and where.
    pub(super) fn locate(&mut self, id: &Oid) -> Option<(usize, u64)> {
        (0..self.0.len()).find_map(|pack| {
            // One that cannot be read has no objects.
            let (index, _) = self.open(pack).ok()?;
            Some((pack, index.find(id).ok().flatten()?))
        })
    }

    /// The file of a pack.
    pub(super) fn file(&mut self, pack: usize) -> io::Result<&mut File> {
        self.open(pack).map(|(_, file)| file)
    }

    fn open(&mut self, number: usize) -> io::Result<&mut (PackIndex, File)> {
        let is_closed = self.0.get(number).is_some_and(|pack| pack.files.is_none());
        if is_closed && self.0.iter().filter(|pack| pack.files.is_some()).count() >= MAX_OPEN {
            self.0.iter_mut().for_each(|pack| pack.files = None);
        }
        let pack = self.0.get_mut(number).ok_or(ErrorKind::NotFound)?;
        let files = match pack.files.take() {
            Some(files) => files,
            None => {
                let file = plain_file::open(&pack.index.with_extension("pack"), File::options().read(true))?;
                (PackIndex::open(&pack.index)?, file)
            }
        };
        Ok(pack.files.insert(files))
    }
}
