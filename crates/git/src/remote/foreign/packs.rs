//! The packs of a foreign repository, with a limited number of open files.

use super::ForeignRepository;
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::objects::pack::{Cache, FileWindow, IndexNames, PackIndex};
use crate::regular_file;
use git2::Oid;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::rc::Rc;

/// Maximum number of packs; `git gc` merges fifty into one.
const MAX_PACKS: usize = 1000;
/// Maximum number of open packs.
const MAX_OPEN: usize = 64;
/// Cache for the names of all indexes.
const NAMES_BYTES: usize = 16 << 20;

pub(super) struct Packs {
    all: Vec<Pack>,
    /// By pack and first byte.
    names: Cache<(usize, u8), IndexNames>,
    /// The pack of the last lookup.
    last: usize,
    /// Number of uses of all packs.
    uses: u64,
}

struct Pack {
    index: PathBuf,
    /// Its files while they are open.
    files: Option<(PackIndex, FileWindow<File>)>,
    /// The use count at its last use.
    used: u64,
}

impl ForeignRepository {
    /// The indexes of its packs, sorted.
    pub(crate) fn pack_indexes(&self) -> Result<Vec<PathBuf>, GitError> {
        let failed = GitError::io("read the objects of the remote");
        let folder = match std::fs::read_dir(self.common.join("objects").join("pack")) {
            Ok(folder) => folder,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut found = Vec::new();
        for entry in folder {
            let index = entry.map_err(&failed)?.path();
            if index.extension().is_some_and(|extension| extension == "idx") {
                found.push(index);
            }
            if found.len() > MAX_PACKS {
                return Err(GitError::protocol("it has too many packs; run `git gc` in it"));
            }
        }
        found.sort_unstable();
        Ok(found)
    }
}

impl Packs {
    pub(super) fn new(indexes: Vec<PathBuf>) -> Self {
        let all = indexes.into_iter().map(|index| Pack { index, files: None, used: 0 }).collect();
        Self { all, names: Cache::new(NAMES_BYTES), last: 0, uses: 0 }
    }

    /// The pack and offset of an object.
    pub(super) fn locate(&mut self, id: &Oid, deadline: &ExchangeDeadline) -> Result<Option<(usize, u64)>, GitError> {
        for pack in 0..self.all.len() {
            deadline.remaining()?;
            // An unreadable pack is ignored.
            if let Ok(Some(offset)) = self.offset(pack, id) {
                self.last = pack;
                return Ok(Some((pack, offset)));
            }
        }
        Ok(None)
    }

    /// As [`Self::locate`], only in the pack of the last lookup: related objects are usually in one pack.
    pub(super) fn locate_beside_last(&mut self, id: &Oid) -> Option<(usize, u64)> {
        self.offset(self.last, id).ok().flatten().map(|offset| (self.last, offset))
    }

    fn offset(&mut self, pack: usize, id: &Oid) -> io::Result<Option<u64>> {
        let first = id.as_bytes().first().copied().unwrap_or_default();
        let names = match self.names.get((pack, first)) {
            Some(names) => names,
            None => {
                let read = self.open(pack).and_then(|(index, _)| index.names(first));
                let names = Rc::new(read.unwrap_or_default());
                self.names.put((pack, first), &names, names.size());
                names
            }
        };
        names.find(id).map(|offset| self.open(pack)?.0.offset(offset)).transpose()
    }

    /// The file of a pack.
    pub(super) fn file(&mut self, pack: usize) -> io::Result<&mut FileWindow<File>> {
        self.open(pack).map(|(_, file)| file)
    }

    fn open(&mut self, number: usize) -> io::Result<&mut (PackIndex, FileWindow<File>)> {
        let is_closed = self.all.get(number).is_some_and(|pack| pack.files.is_none());
        if is_closed && self.all.iter().filter(|pack| pack.files.is_some()).count() >= MAX_OPEN {
            let open = self.all.iter_mut().filter(|pack| pack.files.is_some());
            if let Some(oldest) = open.min_by_key(|pack| pack.used) {
                oldest.files = None;
            }
        }
        self.uses += 1;
        let pack = self.all.get_mut(number).ok_or(ErrorKind::NotFound)?;
        pack.used = self.uses;
        let files = match pack.files.take() {
            Some(files) => files,
            None => {
                let file = regular_file::open(&pack.index.with_extension("pack"), File::options().read(true))?;
                (PackIndex::open(&pack.index)?, FileWindow::new(file))
            }
        };
        Ok(pack.files.insert(files))
    }
}
