//! Reads loose and packed objects of a foreign repository.

use super::packs::Packs;
use super::{ForeignRepository, USES_ALTERNATES};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits, MAX_DELTA_CHAIN};
use crate::objects::object_reader::loose_header;
use crate::objects::pack::{Cache, DELTA_OVERHEAD, DeltaSizes, Encoding, EntryHeader, Inflater, Recorder, apply};
use crate::regular_file;
use flate2::read::ZlibDecoder;
use git2::{ObjectType, Oid};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::PathBuf;
use std::rc::Rc;

const CACHE_BYTES: usize = 16 << 20;

/// The location of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum ObjectLocation {
    Loose(Oid),
    Packed { pack: usize, offset: u64 },
}

/// A stored object or delta.
pub(super) enum Stored {
    Whole(ObjectType, Vec<u8>),
    Delta(ObjectLocation, Vec<u8>),
}

#[derive(Debug)]
pub(super) struct Object {
    pub(super) kind: ObjectType,
    pub(super) content: Vec<u8>,
}

pub(super) struct ForeignObjects<'p> {
    dir: PathBuf,
    deadline: &'p ExchangeDeadline,
    packs: Packs,
    cache: Cache<ObjectLocation, Object>,
    inflater: Inflater,
    /// The compressed bytes of the last object that was read from a pack.
    deflated: Vec<u8>,
    object_bytes: u64,
    chain_bytes: u64,
}

impl<'p> ForeignObjects<'p> {
    pub(super) fn new(
        repository: &ForeignRepository,
        limits: &Limits,
        deadline: &'p ExchangeDeadline,
    ) -> Result<Self, GitError> {
        Ok(Self {
            packs: Packs::new(repository.pack_indexes()?),
            dir: repository.common.join("objects"),
            deadline,
            cache: Cache::new(CACHE_BYTES),
            inflater: Inflater::new(),
            deflated: Vec::new(),
            object_bytes: limits.object_bytes(),
            chain_bytes: limits.chain_bytes(),
        })
    }

    /// Finds an object; an error if it is missing.
    pub(super) fn locate(&mut self, id: Oid) -> Result<ObjectLocation, GitError> {
        if let Some((pack, offset)) = self.packs.locate_beside_last(&id) {
            return Ok(ObjectLocation::Packed { pack, offset });
        }
        if self.loose_path(id).is_some_and(|path| path.exists()) {
            return Ok(ObjectLocation::Loose(id));
        }
        if let Some((pack, offset)) = self.packs.locate(&id, self.deadline)? {
            return Ok(ObjectLocation::Packed { pack, offset });
        }
        Err(GitError::protocol(if self.dir.join("info").join("alternates").exists() {
            USES_ALTERNATES
        } else {
            "it does not have all that its commits need; run `git fsck` in it"
        }))
    }

    /// Reads an object and resolves its deltas.
    pub(super) fn read(&mut self, location: ObjectLocation) -> Result<Rc<Object>, GitError> {
        let mut steps = Vec::new();
        let (mut at, mut delta_bytes, mut chain_bytes) = (location, 0, 0);
        let mut object = loop {
            self.deadline.remaining()?;
            if let Some(object) = self.cache.get(at) {
                break object;
            }
            match self.stored(at)? {
                Stored::Whole(kind, content) => {
                    let object = Rc::new(Object { kind, content });
                    self.cache.put(at, &object, object.content.len());
                    break object;
                }
                Stored::Delta(base, delta) => {
                    delta_bytes += delta.len() as u64;
                    if steps.len() >= usize::from(MAX_DELTA_CHAIN) || delta_bytes > 2 * self.object_bytes {
                        return Err(GitError::RemoteLimit(Limit::DeltaChain(self.chain_bytes)));
                    }
                    steps.push((at, delta));
                    at = base;
                }
            }
        };
        for (location, delta) in steps.into_iter().rev() {
            self.deadline.remaining()?;
            let content = apply(&object.content, &delta, self.object_bytes).ok_or_else(unreadable)?;
            chain_bytes += content.len() as u64;
            if chain_bytes > self.chain_bytes {
                return Err(GitError::RemoteLimit(Limit::DeltaChain(self.chain_bytes)));
            }
            object = Rc::new(Object { kind: object.kind, content });
            self.cache.put(location, &object, object.content.len());
        }
        Ok(object)
    }

    /// The compressed bytes of the last object read by [`Self::stored`]; `None` if it was loose.
    pub(super) fn deflated(&self) -> Option<&[u8]> {
        Some(self.deflated.as_slice()).filter(|bytes| !bytes.is_empty())
    }

    /// Reads the object or delta at a location.
    pub(super) fn stored(&mut self, location: ObjectLocation) -> Result<Stored, GitError> {
        self.deflated.clear();
        match location {
            ObjectLocation::Loose(id) => self.stored_loose(id),
            ObjectLocation::Packed { pack, offset } => self.stored_packed(pack, offset),
        }
    }

    fn stored_loose(&self, id: Oid) -> Result<Stored, GitError> {
        let path = self.loose_path(id).ok_or_else(unreadable)?;
        let file = regular_file::open(&path, File::options().read(true)).map_err(|_| unreadable())?;
        let mut stream = BufReader::new(ZlibDecoder::new(file));
        let (kind, size) = loose_header(&mut stream).ok_or_else(unreadable)?;
        self.check(size)?;
        let mut content = Vec::new();
        stream.take(size + 1).read_to_end(&mut content).map_err(|_| unreadable())?;
        if content.len() as u64 == size { Ok(Stored::Whole(kind, content)) } else { Err(unreadable()) }
    }

    fn stored_packed(&mut self, pack: usize, offset: u64) -> Result<Stored, GitError> {
        let file = self.packs.file(pack).map_err(|_| unreadable())?;
        let mut input = file.from(offset);
        let header = EntryHeader::read(&mut input)?;
        let overhead = if matches!(header.encoding, Encoding::Whole(_)) { 0 } else { DELTA_OVERHEAD };
        if header.size > self.object_bytes + overhead {
            return Err(GitError::RemoteLimit(Limit::ObjectBytes(self.object_bytes)));
        }
        let mut content = Vec::new();
        let mut input = Recorder::new(input, &mut self.deflated, header.size);
        self.inflater.inflate(&mut input, header.size, &mut content)?;
        let base = match header.encoding {
            Encoding::Whole(kind) => return Ok(Stored::Whole(kind, content)),
            Encoding::OffsetDelta(distance) => {
                let offset = offset.checked_sub(distance).filter(|_| distance > 0).ok_or_else(unreadable)?;
                ObjectLocation::Packed { pack, offset }
            }
            Encoding::RefDelta(id) => self.locate(id)?,
        };
        let sizes = DeltaSizes::read(&content).ok_or_else(unreadable)?;
        self.check(sizes.base.max(sizes.result))?;
        Ok(Stored::Delta(base, content))
    }

    fn check(&self, size: u64) -> Result<(), GitError> {
        let most = self.object_bytes;
        if size > most { Err(GitError::RemoteLimit(Limit::ObjectBytes(most))) } else { Ok(()) }
    }

    fn loose_path(&self, id: Oid) -> Option<PathBuf> {
        let name = id.to_string();
        let (folder, file) = name.split_at_checked(2)?;
        Some(self.dir.join(folder).join(file))
    }
}

fn unreadable() -> GitError {
    GitError::protocol("it has an object that cannot be read; run `git fsck` in it")
}
