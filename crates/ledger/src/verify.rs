//! Is the ledger whole? Finds the first position that is not what it was.

use super::chain_check::{Checked, check, explained};
use super::checkpoint::Checkpoint;
use super::cut::Cuts;
use super::dropped_event::is_dropped;
use super::durability::Durability;
use super::event::Head;
use super::hash::Hash;
use super::ledger_error::{LedgerError, Reason};
use super::signing_key::PublicKey;
use super::store::Store;
use super::verification::{Cause, Problem, ProblemKind, Verification, Witness};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use std::collections::HashMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::thread::available_parallelism;
use tgp_base::threads::{parallel_map, pool};

/// Parts that many events are looked at in, each by one thread.
const PARTS: u64 = 16;

/// Fewer events than this are one part.
const SMALL: u64 = 4096;

/// Threads that read at the same time, at most.
const MAX_THREADS: usize = 8;

/// Checkpoints that are read at once.
const PAGE: usize = 10_000;

/// Who has seen how far the ledger was.
const WITNESS: &str = "a witness";
const CHECKPOINT: &str = "a checkpoint";

/// What a ledger is held against.
pub struct Against<'a> {
    /// The key of its checkpoints. `None` when it is not known: then a ledger with checkpoints is not vouched for.
    pub key: Option<PublicKey>,
    /// Notes that are kept beside the store.
    pub notes: &'a [String],
    pub witnesses: &'a [Witness],
}

/// Looks at everything.
pub fn verify(store: &dyn Store, against: &Against<'_>) -> Result<Verification, LedgerError> {
    let mut found = Vec::new();
    let base = or_damage(store.base(), &mut found, Head::NONE)?;
    // Without a last event that can be read the events are read until one cannot.
    let head = or_damage(store.head(), &mut found, Head { size: END, hash: Hash::ZERO })?;
    let (checked, inside) = check_all(store, &base, head.size)?;
    found.extend(checked.problem);
    if let Some(first) = or_damage(store.first(), &mut found, None)?.filter(|first| *first <= base.size) {
        found.push(Problem::new(ProblemKind::Order, first, format!("Event {first} stands before the beginning.")));
    }
    let mut notes = against.notes.to_vec();
    notes.extend(or_damage(notes_of(store), &mut found, Vec::new())?);
    let cuts = Cuts::of(store, against.key.as_ref());
    check_notes(&cuts, notes, &base, &head, &mut found)?;
    for witness in against.witnesses {
        let seen = Head { size: witness.size, hash: witness.head };
        let by = (WITNESS, witness.durability);
        found.extend(check_seen(&cuts, &seen, (&base, &head), by)?);
    }
    if found.is_empty() {
        found.extend(or_damage(check_blobs(store, checked.blobs), &mut Vec::new(), Some(damaged()))?);
        found.extend(or_damage(inside, &mut Vec::new(), Some(damaged()))?);
    }
    let problem = first_of(found);
    Ok(Verification { first: base.size + 1, events: checked.events, head, problem, note: None })
}

/// Looks at the last checkpoint and the events behind it: what a ledger is opened with.
pub fn verify_end(store: &dyn Store, against: &Against<'_>) -> Result<Verification, LedgerError> {
    let mut found = Vec::new();
    let (base, head) = (store.base()?, store.head()?);
    let mut notes = against.notes.to_vec();
    notes.extend(store.last_checkpoint(head.size)?.map(|row| row.note));
    // What vouches for events that were let go.
    notes.extend(store.checkpoints(base.size, 1)?.into_iter().map(|row| row.note));
    let vouched = notes.iter().filter_map(|note| Checkpoint::parse(note)).map(|note| note.head);
    let vouched = vouched.filter(|vouched| vouched.size <= head.size).max_by_key(|vouched| vouched.size);
    check_notes(&Cuts::of(store, against.key.as_ref()), notes, &base, &head, &mut found)?;
    let from = vouched.filter(|vouched| vouched.size >= base.size).unwrap_or(base);
    let checked = check(store, &from, head.size)?;
    found.extend(checked.problem);
    let problem = first_of(found);
    Ok(Verification { first: base.size + 1, events: checked.events, head, problem, note: None })
}

/// The first problem. What has no position comes last, and what leaves open whether anybody has done something counts only where
/// nothing else is found: else a power cut would hide what was changed after it.
fn first_of(mut found: Vec<Problem>) -> Option<Problem> {
    if found.iter().any(|problem| problem.cause != Some(Cause::Unknown)) {
        found.retain(|problem| problem.cause != Some(Cause::Unknown));
    }
    found.into_iter().min_by_key(|problem| (problem.seq == 0, problem.seq))
}

/// A number that no event has.
const END: u64 = i64::MAX as u64;

fn damaged() -> Problem {
    Problem::new(ProblemKind::Changed, 0, "The store is damaged.")
}

/// Damage is a finding, everything else a failure.
fn or_damage<T>(read: Result<T, LedgerError>, found: &mut Vec<Problem>, otherwise: T) -> Result<T, LedgerError> {
    match read {
        Err(LedgerError::Unreadable(Reason::Damaged)) => {
            found.push(damaged());
            Ok(otherwise)
        }
        read => read,
    }
}

/// What the threads of a verification do.
enum Job {
    Inside,
    /// The events behind a number.
    Part(u64),
}

enum Done {
    Inside(Inside),
    Part(Result<Checked, LedgerError>),
}

/// What is inside the store beside the rows.
type Inside = Result<Option<Problem>, LedgerError>;

/// Looks at all events, in parts, and at the store itself.
fn check_all(store: &dyn Store, base: &Head, to: u64) -> Result<(Checked, Inside), LedgerError> {
    let events = to.saturating_sub(base.size);
    let part = if events < SMALL || to == END { events.max(1) } else { events.div_ceil(PARTS) };
    let mut jobs = vec![Job::Inside, Job::Part(base.size)];
    let mut start = base.size + part;
    while start < to {
        jobs.push(Job::Part(start));
        start += part;
    }
    let mut whole = Checked { events: 0, good: *base, problem: None, blobs: HashMap::new() };
    let mut inside = Ok(None);
    for done in in_parallel(&jobs, |job| match job {
        Job::Inside => Done::Inside(store.check_inside()),
        Job::Part(start) => Done::Part(check_part(store, base, *start, to.min(start + part))),
    }) {
        match done {
            Done::Inside(found) => inside = found,
            Done::Part(_) if whole.problem.is_some() => {}
            Done::Part(checked) => {
                let checked = checked?;
                whole.events += checked.events;
                whole.good = checked.good;
                whole.blobs.extend(checked.blobs);
                whole.problem = checked.problem.map(|problem| explained(store, &whole.good, problem, to));
            }
        }
    }
    Ok((whole, inside))
}

fn check_part(store: &dyn Store, base: &Head, start: u64, to: u64) -> Result<Checked, LedgerError> {
    let hash = if start == base.size { Some(base.hash) } else { store.hash_at(start).ok().flatten() };
    // One that is not there is found by the part before.
    check(store, &Head { size: start, hash: hash.unwrap_or(Hash::ZERO) }, to)
}

/// Does jobs on threads of a pool of their own, so that no other work waits among them.
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
        // A row that is found by another size than its note has is not a row of ours.
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
    let mut vouched = base.size == 0;
    for note in signed {
        let Some((said, signed)) = note else {
            found.push(Problem::new(ProblemKind::Signature, 0, "A checkpoint is not one: it was changed."));
            continue;
        };
        if signed {
            vouched |= said == *base;
            found.extend(check_seen(cuts, &said, (base, head), (CHECKPOINT, Durability::Power))?);
        } else {
            let message = format!("The checkpoint at event {} was not signed with the ledger's key.", said.size);
            found.push(Problem::new(ProblemKind::Signature, said.size, message));
        }
    }
    if !vouched || !or_damage(is_dropped(store, base, key), found, false)? {
        let message = format!(
            "The events up to {} are gone, and no signed event allows that. If they went by retention of an older version, run: tgp ledger sign-base",
            base.size
        );
        found.push(Problem::new(ProblemKind::Missing, 1, message));
    }
    Ok(())
}

/// Whether the ledger still has what was seen, by whom, and when it had survived what. Where an end is recorded as gone, other events
/// may stand in its place.
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

/// The same, by the events that stand there.
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
    let message = format!("Event {size}, or one before it, is not the one that {who} has seen.");
    Ok(Some(Problem::new(ProblemKind::Changed, size, message)))
}

fn check_blobs(store: &dyn Store, mut expected: HashMap<Hash, u64>) -> Result<Option<Problem>, LedgerError> {
    let mut found: Option<Problem> = None;
    store.scan_blobs(&mut |hash, bytes, last| {
        let referred = expected.remove(hash);
        if referred != Some(last) || Hash::of(bytes) != *hash {
            let seq = referred.unwrap_or(last);
            let message = format!("A large value of event {seq} is not what was recorded.");
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
