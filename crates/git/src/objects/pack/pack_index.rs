//! The index of a pack: reading and writing.

use crate::regular_file;
use git2::Oid;
use sha1::{Digest, Sha1};
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

const SIGNATURE: [u8; 8] = [0xff, b't', b'O', b'c', 0, 0, 0, 2];
const FANOUT_AT: u64 = 8;
const IDS_AT: u64 = FANOUT_AT + 256 * 4;
const ID_BYTES: u64 = 20;
/// Marks an index into the table of 64-bit offsets.
const LARGE: u32 = 1 << 31;

/// An entry to write to an index.
#[derive(Debug, Clone, Copy)]
pub(super) struct Indexed {
    pub(super) id: Oid,
    pub(super) crc: u32,
    pub(super) offset: u64,
}

/// Writes the index of a pack with this checksum. `objects` are sorted by name.
pub(super) fn write(file: File, objects: &[Indexed], pack_sum: &[u8; 20]) -> io::Result<File> {
    let mut file = Summed { file: BufWriter::new(file), sum: Sha1::new() };
    file.put(&SIGNATURE)?;
    let mut counts = [0_u32; 256];
    for object in objects {
        if let Some(count) = object.id.as_bytes().first().and_then(|first| counts.get_mut(usize::from(*first))) {
            *count += 1;
        }
    }
    let mut total = 0;
    for count in counts {
        total += count;
        file.put(&total.to_be_bytes())?;
    }
    for object in objects {
        file.put(object.id.as_bytes())?;
    }
    for object in objects {
        file.put(&object.crc.to_be_bytes())?;
    }
    let mut large = Vec::new();
    for object in objects {
        let offset = match u32::try_from(object.offset) {
            Ok(offset) if offset < LARGE => offset,
            _ => {
                large.push(object.offset);
                LARGE | u32::try_from(large.len() - 1).unwrap_or_default()
            }
        };
        file.put(&offset.to_be_bytes())?;
    }
    for offset in large {
        file.put(&offset.to_be_bytes())?;
    }
    file.put(pack_sum)?;
    let sum = file.sum.finalize();
    file.file.write_all(&sum)?;
    file.file.into_inner().map_err(io::IntoInnerError::into_error)
}

struct Summed {
    file: BufWriter<File>,
    sum: Sha1,
}

impl Summed {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.sum.update(bytes);
        self.file.write_all(bytes)
    }
}

/// Limit for the names with the same first byte; enough for a hundred million objects.
const MAX_NAMES_BYTES: u64 = 8 << 20;
/// Memory overhead of a name table.
const NAMES_OVERHEAD: usize = 128;

/// An untrusted index, read on demand.
#[derive(Debug)]
pub(crate) struct PackIndex {
    file: File,
    count: u64,
    fanout: Vec<u8>,
}

/// The names of an index with the same first byte, and their offsets.
#[derive(Debug, Default)]
pub(crate) struct IndexNames {
    names: Vec<u8>,
    offsets: Vec<u8>,
}

/// A raw offset field of an index.
#[derive(Debug, Clone, Copy)]
pub(crate) struct IndexedOffset(u32);

impl IndexNames {
    pub(crate) fn find(&self, id: &Oid) -> Option<IndexedOffset> {
        let (names, _) = self.names.as_chunks::<{ ID_BYTES as usize }>();
        let place = names.binary_search_by(|name| name.as_slice().cmp(id.as_bytes())).ok()?;
        let (offsets, _) = self.offsets.as_chunks::<4>();
        offsets.get(place).map(|offset| IndexedOffset(u32::from_be_bytes(*offset)))
    }

    pub(crate) const fn size(&self) -> usize {
        self.names.len() + self.offsets.len() + NAMES_OVERHEAD
    }
}

impl PackIndex {
    /// Opens an index of version two, the only one that `git` has written since 2008.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        let mut file = regular_file::open(path, File::options().read(true))?;
        let mut start = [0; 8];
        file.read_exact(&mut start)?;
        if start != SIGNATURE {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let mut fanout = vec![0; 256 * 4];
        file.read_exact(&mut fanout)?;
        let mut index = Self { file, count: 0, fanout };
        index.count = index.up_to(255);
        Ok(index)
    }

    /// The names with a first byte.
    pub(crate) fn names(&mut self, first: u8) -> io::Result<IndexNames> {
        let low = if first == 0 { 0 } else { self.up_to(first - 1) };
        let length = (self.up_to(first).min(self.count).saturating_sub(low)) * ID_BYTES;
        if length > MAX_NAMES_BYTES {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let names = self.range(IDS_AT + low * ID_BYTES, length)?;
        let offsets = self.range(self.offsets_at() + low * 4, length / ID_BYTES * 4)?;
        Ok(IndexNames { names, offsets })
    }

    /// The number of objects.
    pub(crate) const fn count(&self) -> u64 {
        self.count
    }

    /// The names of all objects.
    pub(crate) fn ids(&mut self) -> io::Result<Vec<Oid>> {
        let mut ids = Vec::new();
        for first in 0..=u8::MAX {
            let names = self.names(first)?.names;
            let (names, _) = names.as_chunks::<{ ID_BYTES as usize }>();
            ids.extend(names.iter().filter_map(|name| Oid::from_bytes(name).ok()));
        }
        Ok(ids)
    }

    fn range(&mut self, place: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; usize::try_from(length).unwrap_or_default()];
        self.file.seek(SeekFrom::Start(place))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    const fn offsets_at(&self) -> u64 {
        IDS_AT + self.count * (ID_BYTES + 4)
    }

    /// The number of names with this first byte or a smaller one.
    fn up_to(&self, byte: u8) -> u64 {
        let (counts, _) = self.fanout.as_chunks::<4>();
        counts.get(usize::from(byte)).map_or(0, |count| u64::from(u32::from_be_bytes(*count)))
    }

    /// Resolves an offset field to an offset in the pack.
    pub(crate) fn offset(&mut self, IndexedOffset(offset): IndexedOffset) -> io::Result<u64> {
        if offset < LARGE {
            return Ok(offset.into());
        }
        let large_at = self.offsets_at() + self.count * 4 + u64::from(offset & !LARGE) * 8;
        let mut bytes = [0; 8];
        self.file.seek(SeekFrom::Start(large_at))?;
        self.file.read_exact(&mut bytes)?;
        Ok(u64::from_be_bytes(bytes))
    }
}
