//! The first pass over a pack, while it is received: lists its entries and checks their sizes.

use super::delta::DeltaSizes;
use super::entry_header::{Encoding, EntryHeader};
use super::incoming_pack::IncomingPack;
use super::inflate::Inflater;
use super::input::{Input, unreadable};
use super::references::References;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits, MAX_COMMIT_BYTES, MAX_COMMITS_BYTES, MAX_DELTA_CHAIN};
use git2::{ObjectType, Oid};

/// Memory for unresolved deltas; the others are read again.
const KEPT_DELTA_BYTES: usize = 16 << 20;
/// Extra size allowed for a delta, compared to its result.
pub(crate) const DELTA_OVERHEAD: u64 = 1 << 20;
const VERSION: u32 = 2;

/// An entry of a pack.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) offset: u64,
    pub(super) crc: u32,
    /// The size of the object, not of the delta.
    pub(super) size: u64,
    pub(super) base: Base,
    pub(super) known: Option<ResolvedObject>,
    /// The delta, if it is kept in memory.
    pub(super) delta: Option<Box<[u8]>>,
}

/// The base of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Base {
    /// Not a delta.
    None,
    /// Another object of the pack, by its index.
    Entry(u32),
    /// An object that must also be in the pack.
    Named(Oid),
}

/// An object whose id is known.
#[derive(Debug, Clone, Copy)]
pub(super) struct ResolvedObject {
    pub(super) id: Oid,
    pub(super) kind: ObjectType,
    /// Length of its delta chain, and total size of the objects in the chain.
    pub(super) chain: u16,
    pub(super) chain_bytes: u64,
}

impl ResolvedObject {
    /// The chain data of a delta of `size` bytes on this object. A chain may have `most` bytes.
    pub(super) fn next(&self, size: u64, most: u64) -> Result<Self, GitError> {
        let next = Self { chain: self.chain + 1, chain_bytes: self.chain_bytes + size, ..*self };
        if next.chain > MAX_DELTA_CHAIN || next.chain_bytes > most {
            return Err(GitError::RemoteLimit(Limit::DeltaChain(most)));
        }
        Ok(next)
    }
}

/// The remaining limits of a pack.
#[derive(Debug)]
pub(super) struct PackBudget {
    object_bytes: u64,
    unpacked: (u64, u64),
    commits: u64,
}

impl PackBudget {
    fn new(limits: &Limits) -> Self {
        let most = limits.unpacked_bytes();
        Self { object_bytes: limits.object_bytes(), unpacked: (most, most), commits: MAX_COMMITS_BYTES }
    }

    /// Charges an object before it is unpacked.
    fn charge(&mut self, size: u64) -> Result<(), GitError> {
        if size > self.object_bytes {
            return Err(GitError::RemoteLimit(Limit::ObjectBytes(self.object_bytes)));
        }
        let (left, most) = &mut self.unpacked;
        *left = left.checked_sub(size).ok_or(GitError::RemoteLimit(Limit::UnpackedBytes(*most)))?;
        Ok(())
    }

    /// Charges the separate limit for commits and tags.
    pub(super) fn charge_kind(&mut self, kind: ObjectType, size: u64) -> Result<(), GitError> {
        if matches!(kind, ObjectType::Tree | ObjectType::Blob) {
            return Ok(());
        }
        let left = self.commits.checked_sub(size).filter(|_| size <= MAX_COMMIT_BYTES);
        self.commits = left.ok_or(GitError::RemoteLimit(Limit::CommitBytes))?;
        Ok(())
    }
}

/// The entries of a pack, and the references of its full objects.
pub(super) struct Scanned {
    pub(super) entries: Vec<Entry>,
    pub(super) references: References,
    pub(super) budget: PackBudget,
}

pub(super) fn scan(incoming: &mut IncomingPack<'_>, limits: &Limits) -> Result<Scanned, GitError> {
    if incoming.array()? != *b"PACK" || u32::from_be_bytes(incoming.array()?) != VERSION {
        return Err(unreadable());
    }
    let count = u32::from_be_bytes(incoming.array()?);
    if u64::from(count) > limits.objects() {
        return Err(GitError::RemoteLimit(Limit::Objects(limits.objects())));
    }
    let mut scanned =
        Scanned { entries: Vec::new(), references: References::new(limits.names()), budget: PackBudget::new(limits) };
    let mut inflater = Inflater::new();
    let mut buffer = Vec::new();
    let mut room = KEPT_DELTA_BYTES;
    for _ in 0..count {
        incoming.begin_entry();
        let offset = incoming.offset();
        let header = EntryHeader::read(incoming)?;
        let entry = match header.encoding {
            Encoding::Whole(kind) => read_full(incoming, &mut scanned, kind, header.size, &mut inflater, &mut buffer)?,
            Encoding::OffsetDelta(distance) => {
                let base = scanned.entry_at(offset.checked_sub(distance).ok_or_else(unreadable)?)?;
                read_delta(incoming, &mut scanned, Base::Entry(base), header.size, &mut inflater, &mut buffer)?
            }
            Encoding::RefDelta(id) => {
                read_delta(incoming, &mut scanned, Base::Named(id), header.size, &mut inflater, &mut buffer)?
            }
        };
        let delta = (entry.base != Base::None && buffer.len() <= room).then(|| {
            room -= buffer.len();
            Box::from(buffer.as_slice())
        });
        scanned.entries.push(Entry { offset, crc: incoming.entry_crc(), delta, ..entry });
    }
    Ok(scanned)
}

impl Scanned {
    fn entry_at(&self, offset: u64) -> Result<u32, GitError> {
        let index = self.entries.binary_search_by_key(&offset, |entry| entry.offset).map_err(|_| unreadable())?;
        u32::try_from(index).map_err(|_| unreadable())
    }
}

fn read_full(
    incoming: &mut IncomingPack<'_>,
    scanned: &mut Scanned,
    kind: ObjectType,
    size: u64,
    inflater: &mut Inflater,
    buffer: &mut Vec<u8>,
) -> Result<Entry, GitError> {
    scanned.budget.charge(size)?;
    scanned.budget.charge_kind(kind, size)?;
    inflater.inflate(incoming, size, buffer)?;
    let id = Oid::hash_object(kind, buffer).map_err(|_| unreadable())?;
    scanned.references.note(kind, buffer)?;
    let known = Some(ResolvedObject { id, kind, chain: 0, chain_bytes: size });
    Ok(Entry { offset: 0, crc: 0, size, base: Base::None, known, delta: None })
}

fn read_delta(
    incoming: &mut IncomingPack<'_>,
    scanned: &mut Scanned,
    base: Base,
    size: u64,
    inflater: &mut Inflater,
    buffer: &mut Vec<u8>,
) -> Result<Entry, GitError> {
    let most = scanned.budget.object_bytes;
    if size > most + DELTA_OVERHEAD {
        return Err(GitError::RemoteLimit(Limit::ObjectBytes(most)));
    }
    inflater.inflate(incoming, size, buffer)?;
    let sizes = DeltaSizes::read(buffer).ok_or_else(unreadable)?;
    scanned.budget.charge(sizes.result)?;
    Ok(Entry { offset: 0, crc: 0, size: sizes.result, base, known: None, delta: None })
}
