//! Verification of a ledger: finds the first problem.

use super::chain::chain_check::{Checked, check, refine};
use super::verification::{Cause, Problem, ProblemKind, Verification, Witness};
use crate::checkpoint::checkpoint::Checkpoint;
use crate::checkpoint::signing_key::PublicKey;
use crate::durability::Durability;
use crate::event::event::Head;
use crate::hash::Hash;
use crate::ledger_error::{LedgerError, Reason};
use crate::retention::cut::Cuts;
use crate::retention::dropped_event::is_dropped;
use crate::store::Store;
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::collections::HashMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread::available_parallelism;
use tgp_base::threads::{parallel_map, pool};

/// The number of parts that are verified in parallel.
const PARTS: u64 = 16;

/// Fewer events are verified as one part.
const SMALL: u64 = 4096;

/// The most reading threads.
const MAX_THREADS: usize = 8;

/// Checkpoints per page.
const PAGE: usize = 10_000;

/// Names of evidence in messages.
const WITNESS: &str = "a witness";
const CHECKPOINT: &str = "a checkpoint";

/// The evidence that a ledger is verified against.
pub struct Evidence<'a> {
    /// The key of its checkpoints. If it is `None`, checkpoints cannot be trusted.
    pub key: Option<PublicKey>,
    /// Checkpoint notes from the file beside the store.
    pub notes: &'a [String],
    pub witnesses: &'a [Witness],
}

/// Verifies everything.
pub fn verify(store: &dyn Store, evidence: &Evidence<'_>) -> Result<Verification, LedgerError> {
    let mut found = Vec::new();
    let base = or_damage(store.base(), &mut found, Head::NONE)?;
    // If the last event is unreadable, events are read until one fails.
    let head = or_damage(store.head(), &mut found, Head { size: END, hash: Hash::ZERO })?;
    let (checked, structure) = check_all(store, &base, head.size)?;
    found.extend(checked.problem);
    if let Some(first) = or_damage(store.first(), &mut found, None)?.filter(|first| *first <= base.size) {
        found.push(Problem::new(
            ProblemKind::Order,
            first,
            format!("Event {first} precedes the beginning of the ledger."),
        ));
    }
    let mut notes = evidence.notes.to_vec();
    notes.extend(or_damage(notes_of(store), &mut found, Vec::new())?);
    let cuts = Cuts::of(store, evidence.key.as_ref());
    check_notes(&cuts, notes, &base, &head, &mut found)?;
    for witness in evidence.witnesses {
        let seen = Head { size: witness.size, hash: witness.head };
        let by = (WITNESS, witness.durability);
        found.extend(check_seen(&cuts, &seen, (&base, &head), by)?);
    }
    if found.is_empty() {
        found.extend(or_damage(check_blobs(store, checked.blobs), &mut Vec::new(), Some(damaged()))?);
        found.extend(or_damage(structure, &mut Vec::new(), Some(damaged()))?);
    }
    let problem = first_of(found);
    Ok(Verification { first: base.size + 1, events: checked.events, head, problem, note: None })
}

/// Verifies the last checkpoint and the events after it, when a ledger is opened.
pub fn verify_end(store: &dyn Store, evidence: &Evidence<'_>) -> Result<Verification, LedgerError> {
    let mut found = Vec::new();
    let (base, head) = (store.base()?, store.head()?);
    let mut notes = evidence.notes.to_vec();
    notes.extend(store.last_checkpoint(head.size)?.map(|row| row.note));
    // The checkpoint that covers dropped events.
    notes.extend(store.checkpoints(base.size, 1)?.into_iter().map(|row| row.note));
    let covered = notes.iter().filter_map(|note| Checkpoint::parse(note)).map(|note| note.head);
    let covered = covered.filter(|covered| covered.size <= head.size).max_by_key(|covered| covered.size);
    check_notes(&Cuts::of(store, evidence.key.as_ref()), notes, &base, &head, &mut found)?;
    let from = covered.filter(|covered| covered.size >= base.size).unwrap_or(base);
    let checked = check(store, &from, head.size)?;
    found.extend(checked.problem);
    let problem = first_of(found);
    Ok(Verification { first: base.size + 1, events: checked.events, head, problem, note: None })
}

/// The first problem. Problems without a position come last. A truncation that may be a power cut counts only if there is no
/// other problem, so that it does not hide later changes.
fn first_of(mut found: Vec<Problem>) -> Option<Problem> {
    if found.iter().any(|problem| problem.cause != Some(Cause::Unknown)) {
        found.retain(|problem| problem.cause != Some(Cause::Unknown));
    }
    found.into_iter().min_by_key(|problem| (problem.seq == 0, problem.seq))
}

/// An unreachable event number.
const END: u64 = i64::MAX as u64;

fn damaged() -> Problem {
    Problem::new(ProblemKind::Changed, 0, "The store is damaged.")
}

/// Reports damage as a problem, and passes on other errors.
fn or_damage<T>(read: Result<T, LedgerError>, found: &mut Vec<Problem>, otherwise: T) -> Result<T, LedgerError> {
    match read {
        Err(LedgerError::Unreadable(Reason::Damaged)) => {
            found.push(damaged());
            Ok(otherwise)
        }
        read => read,
    }
}

/// A job of a verification thread.
enum Job {
    Structure,
    /// The events after a number.
    Events(u64),
}

enum Done {
    Structure(Structure),
    Events(Result<Checked, LedgerError>),
}

/// The result of the structure check.
type Structure = Result<Option<Problem>, LedgerError>;

/// Checks all events in parts, and the store's structure.
fn check_all(store: &dyn Store, base: &Head, to: u64) -> Result<(Checked, Structure), LedgerError> {
    let events = to.saturating_sub(base.size);
    let part = if events < SMALL || to == END { events.max(1) } else { events.div_ceil(PARTS) };
    let mut jobs = vec![Job::Structure, Job::Events(base.size)];
    let mut start = base.size + part;
    while start < to {
        jobs.push(Job::Events(start));
        start += part;
    }
    let mut whole = Checked { events: 0, good: *base, problem: None, blobs: HashMap::new() };
    let mut structure = Ok(None);
    for done in in_parallel(&jobs, |job| match job {
        Job::Structure => Done::Structure(store.check_structure()),
        Job::Events(start) => Done::Events(check_part(store, base, *start, to.min(start + part))),
    }) {
        match done {
            Done::Structure(found) => structure = found,
            Done::Events(_) if whole.problem.is_some() => {}
            Done::Events(checked) => {
                let checked = checked?;
                whole.events += checked.events;
                whole.good = checked.good;
                whole.blobs.extend(checked.blobs);
                whole.problem = checked.problem.map(|problem| refine(store, &whole.good, problem, to));
            }
        }
    }
    Ok((whole, structure))
}

fn check_part(store: &dyn Store, base: &Head, start: u64, to: u64) -> Result<Checked, LedgerError> {
    let hash = if start == base.size { Some(base.hash) } else { store.hash_at(start).ok().flatten() };
    // A missing event is reported by the previous part.
    check(store, &Head { size: start, hash: hash.unwrap_or(Hash::ZERO) }, to)
}

/// Runs jobs in a dedicated pool, so that they do not mix with other work.
fn in_parallel<T: Send>(jobs: &[Job], job: impl Fn(&Job) -> T + Sync + Send) -> Vec<T> {
    let threads = available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let pool = if jobs.len() > 2 { pool("tgp-verify", threads) } else { None };
    match pool {
        Some(pool) => pool.install(|| jobs.par_iter().with_max_len(1).map(job).collect()),
        None => jobs.iter().map(job).collect(),
    }
}

fn notes_of(store: &dyn Store) -> Result<Vec<String>, LedgerError> {
    let mut notes = Vec::new();
    let mut from = 0;
    loop {
        let rows = store.checkpoints(from, PAGE)?;
        let full = rows.len() == PAGE;
        from = rows.last().map_or(from, |row| row.size + 1);
        // A row whose size differs from its note was manipulated.
        notes.extend(rows.into_iter().map(|row| match Checkpoint::parse(&row.note) {
            Some(note) if note.head.size == row.size => row.note,
            Some(_) | None => String::new(),
        }));
        if !full {
            return Ok(notes);
        }
    }
}

fn check_notes(
    cuts: &Cuts<'_>,
    mut notes: Vec<String>,
    base: &Head,
    head: &Head,
    found: &mut Vec<Problem>,
) -> Result<(), LedgerError> {
    let (store, key) = (cuts.store, cuts.key);
    notes.sort_unstable();
    notes.dedup();
    let signed = parallel_map("tgp-verify", &notes, |note| {
        let note = Checkpoint::parse(note)?;
        let signed = key.is_some_and(|key| note.is_signed_by(key));
        Some((note.head, signed))
    });
    let mut covered = base.size == 0;
    for note in signed {
        let Some((noted, signed)) = note else {
            found.push(Problem::new(ProblemKind::Signature, 0, "A checkpoint was changed and is not valid."));
            continue;
        };
        if signed {
            covered |= noted == *base;
            found.extend(check_seen(cuts, &noted, (base, head), (CHECKPOINT, Durability::Power))?);
        } else {
            let message = format!("The checkpoint at event {} was not signed with the ledger's key.", noted.size);
            found.push(Problem::new(ProblemKind::Signature, noted.size, message));
        }
    }
    if !covered || !or_damage(is_dropped(store, base, key), found, false)? {
        let message = format!(
            "The events up to {} are missing, and no signed event allows that. If an older version dropped them by retention, run: tgp ledger sign-base",
            base.size
        );
        found.push(Problem::new(ProblemKind::Missing, 1, message));
    }
    Ok(())
}

/// Checks that the ledger still has a head that was seen. Where a truncated end is recorded, other events may have taken its
/// place.
fn check_seen(
    cuts: &Cuts<'_>,
    seen: &Head,
    (base, head): (&Head, &Head),
    (who, durability): (&str, Durability),
) -> Result<Option<Problem>, LedgerError> {
    let Some(problem) = check_head(cuts.store, seen, base, head, (who, durability))? else { return Ok(None) };
    let cut = or_damage(cuts.around(seen.size), &mut Vec::new(), None)?;
    Ok(Some(
        cut.map_or(problem, |cut| Problem::truncated(cut.after.size + 1, cut.up_to.size, who, Cause::of(durability))),
    ))
}

/// Compares a seen head with the current events.
fn check_head(
    store: &dyn Store,
    seen: &Head,
    base: &Head,
    head: &Head,
    (who, durability): (&str, Durability),
) -> Result<Option<Problem>, LedgerError> {
    let Head { size, hash } = *seen;
    if size > head.size {
        return Ok(Some(Problem::truncated(head.size + 1, size, who, Cause::of(durability))));
    }
    let kept = match size.cmp(&base.size) {
        std::cmp::Ordering::Less => return Ok(None),
        std::cmp::Ordering::Equal => Some(base.hash),
        std::cmp::Ordering::Greater => or_damage(store.hash_at(size), &mut Vec::new(), None)?,
    };
    if kept == Some(hash) {
        return Ok(None);
    }
    let message = format!("Event {size}, or an earlier one, differs from the one that {who} has seen.");
    Ok(Some(Problem::new(ProblemKind::Changed, size, message)))
}

fn check_blobs(store: &dyn Store, mut expected: HashMap<Hash, u64>) -> Result<Option<Problem>, LedgerError> {
    let mut found: Option<Problem> = None;
    store.scan_blobs(&mut |hash, bytes, last| {
        let referred = expected.remove(hash);
        if referred != Some(last) || Hash::of(bytes) != *hash {
            let seq = referred.unwrap_or(last);
            let message = format!("A large value of event {seq} was changed after it was recorded.");
            if found.as_ref().is_none_or(|found| found.seq > seq) {
                found = Some(Problem::new(ProblemKind::Changed, seq, message));
            }
        }
        ControlFlow::Continue(())
    })?;
    let gone = expected.into_values().min();
    let missing =
        gone.map(|seq| Problem::new(ProblemKind::Missing, seq, format!("A large value of event {seq} is missing.")));
    Ok(found.into_iter().chain(missing).min_by_key(|problem| problem.seq))
}
