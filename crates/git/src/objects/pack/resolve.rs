//! The second pass over a pack: resolves every delta and computes its object id.

use super::cache::Cache;
use super::delta::apply;
use super::entry_header::EntryHeader;
use super::inflate::Inflater;
use super::input::{FileWindow, unreadable};
use super::scan::{Base, Entry, Scanned};
use crate::exchange_deadline::ExchangeDeadline;
use crate::git_error::GitError;
use crate::limits::{Limit, Limits};
use git2::Oid;
use std::collections::HashMap;
use std::fs::File;
use std::rc::Rc;

/// Cache for unpacked delta bases.
const CACHE_BYTES: u64 = 32 << 20;

/// The objects of a pack that is on disk.
pub(super) struct Objects<'p> {
    file: FileWindow<&'p mut File>,
    entries: &'p [Entry],
    cache: Cache<u32, Vec<u8>>,
    inflater: Inflater,
    /// Remaining bytes that may be unpacked.
    work: u64,
    object_bytes: u64,
    chain_bytes: u64,
}

impl<'p> Objects<'p> {
    pub(super) fn new(file: &'p mut File, entries: &'p [Entry], limits: &Limits) -> Self {
        Self {
            file: FileWindow::new(file),
            entries,
            cache: Cache::new(usize::try_from(CACHE_BYTES.max(limits.object_bytes())).unwrap_or(usize::MAX)),
            inflater: Inflater::new(),
            work: limits.delta_work(),
            object_bytes: limits.object_bytes(),
            chain_bytes: limits.chain_bytes(),
        }
    }

    /// The content of an object, from the nearest cached object of its chain. `base_of` returns the base of a delta.
    pub(super) fn read(&mut self, index: u32, base_of: &dyn Fn(u32) -> Option<u32>) -> Result<Rc<Vec<u8>>, GitError> {
        let mut steps = Vec::new();
        let mut at = index;
        let mut object = loop {
            if let Some(object) = self.cache.get(at) {
                break object;
            }
            match base_of(at) {
                Some(base) => {
                    steps.push(at);
                    at = base;
                }
                None => {
                    let object = Rc::new(self.stored(at)?);
                    self.keep(at, &object)?;
                    break object;
                }
            }
        };
        for step in steps.into_iter().rev() {
            let next = match self.entry(step)?.delta.as_deref() {
                Some(delta) => apply(&object, delta, self.object_bytes),
                None => apply(&object, &self.stored(step)?, self.object_bytes),
            };
            object = Rc::new(next.ok_or_else(unreadable)?);
            self.keep(step, &object)?;
        }
        Ok(object)
    }

    fn keep(&mut self, index: u32, object: &Rc<Vec<u8>>) -> Result<(), GitError> {
        let spent = self.work.checked_sub(object.len() as u64);
        self.work = spent.ok_or(GitError::RemoteLimit(Limit::DeltaChain(self.chain_bytes)))?;
        self.cache.put(index, object, object.len());
        Ok(())
    }

    /// The stored object or delta. Its size was checked during the scan.
    fn stored(&mut self, index: u32) -> Result<Vec<u8>, GitError> {
        let offset = self.entry(index)?.offset;
        let mut input = self.file.from(offset);
        let header = EntryHeader::read(&mut input)?;
        let mut content = Vec::new();
        self.inflater.inflate(&mut input, header.size, &mut content)?;
        Ok(content)
    }

    fn entry(&self, index: u32) -> Result<&'p Entry, GitError> {
        self.entries.get(index as usize).ok_or_else(unreadable)
    }
}

/// The deltas of a pack by their bases.
struct DeltaGraph {
    /// Base and delta, sorted.
    children: Vec<(u32, u32)>,
    /// Deltas on objects whose ids are not known yet.
    waiting: HashMap<Oid, Vec<u32>>,
}

impl DeltaGraph {
    fn new(entries: &[Entry]) -> Self {
        let mut graph = Self { children: Vec::new(), waiting: HashMap::new() };
        for (index, entry) in (0_u32..).zip(entries) {
            match entry.base {
                Base::None => {}
                Base::Entry(base) => graph.children.push((base, index)),
                Base::Named(id) => graph.waiting.entry(id).or_default().push(index),
            }
        }
        graph.children.sort_unstable();
        graph
    }

    /// The deltas on an entry with the object id `id`.
    fn children_of(&mut self, index: u32, id: &Oid) -> Vec<u32> {
        let start = self.children.partition_point(|(base, _)| *base < index);
        let own = self.children.get(start..).unwrap_or_default().iter().take_while(|(base, _)| *base == index);
        let mut found: Vec<u32> = own.map(|(_, child)| *child).collect();
        found.extend(self.waiting.remove(id).unwrap_or_default());
        found
    }
}

/// Computes the id of every object. Delta chains are traversed depth-first from their bases, so that each base is still cached.
pub(super) fn resolve(
    scanned: &mut Scanned,
    file: &mut File,
    limits: &Limits,
    deadline: &ExchangeDeadline,
) -> Result<(), GitError> {
    let Scanned { entries, references, budget } = scanned;
    let mut graph = DeltaGraph::new(entries);
    if graph.children.is_empty() && graph.waiting.is_empty() {
        return Ok(());
    }
    let mut found: Vec<_> = entries.iter().map(|entry| entry.known).collect();
    let mut bases: Vec<Option<u32>> = vec![None; entries.len()];
    let mut objects = Objects::new(file, entries, limits);
    let mut stack: Vec<u32> =
        (0_u32..).zip(entries.iter()).filter(|(_, e)| e.known.is_some()).map(|(i, _)| i).collect();
    stack.reverse();
    while let Some(index) = stack.pop() {
        let entry = objects.entry(index)?;
        let mut known = found.get(index as usize).copied().flatten().ok_or_else(unreadable)?;
        if entry.known.is_none() {
            deadline.remaining()?;
            let content = objects.read(index, &|index| bases.get(index as usize).copied().flatten())?;
            known.id = Oid::hash_object(known.kind, &content).map_err(|_| unreadable())?;
            references.note(known.kind, &content)?;
            if let Some(place) = found.get_mut(index as usize) {
                *place = Some(known);
            }
        }
        for child in graph.children_of(index, &known.id) {
            let size = objects.entry(child)?.size;
            budget.charge_kind(known.kind, size)?;
            if let (Some(place), Some(base)) = (found.get_mut(child as usize), bases.get_mut(child as usize)) {
                *place = Some(known.next(size, limits.chain_bytes())?);
                *base = Some(index);
            }
            stack.push(child);
        }
    }
    drop(objects);
    for ((entry, known), base) in entries.iter_mut().zip(found).zip(bases) {
        // An unreached delta has a missing base or is part of a cycle.
        entry.known = Some(known.ok_or_else(unreadable)?);
        entry.base = base.map_or(Base::None, Base::Entry);
    }
    Ok(())
}
