//! Checks a range of events: contents, columns, order and chain.

use super::chain::link;
use crate::event::blobs;
use crate::event::content::columns_of;
use crate::event::event::Head;
use crate::hash::Hash;
use crate::ledger_error::{LedgerError, Reason};
use crate::store::{ScannedEvent, Store};
use crate::verification::{Problem, ProblemKind};
use std::collections::HashMap;
use std::ops::ControlFlow;

/// The result of checking a range of events.
#[derive(Debug)]
pub struct Checked {
    /// The number of checked events.
    pub events: u64,
    /// The last valid event.
    pub good: Head,
    /// The first problem.
    pub problem: Option<Problem>,
    /// The referenced large values, each with the last event that refers to it.
    pub blobs: HashMap<Hash, u64>,
}

/// Checks the events after `before`, up to and including `to`.
pub fn check(store: &dyn Store, before: &Head, to: u64) -> Result<Checked, LedgerError> {
    let mut checked = Checked { events: 0, good: *before, problem: None, blobs: HashMap::new() };
    if before.size >= to {
        return Ok(checked);
    }
    let scanned = store.scan(before.size + 1..=to, &mut |event| {
        checked.problem = problem_of(event, &checked.good);
        if checked.problem.is_some() {
            return ControlFlow::Break(());
        }
        checked.events += 1;
        for blob in blobs::references(event.content) {
            checked.blobs.insert(blob, event.seq);
        }
        checked.good = Head { size: event.seq, hash: event.hash.unwrap_or(Hash::ZERO) };
        ControlFlow::Continue(())
    });
    match scanned {
        Ok(()) => {}
        Err(LedgerError::Unreadable(Reason::Damaged)) => {
            checked.problem = Some(changed(checked.good.size + 1, "cannot be read because the store is damaged there"));
        }
        Err(other) => return Err(other),
    }
    if checked.problem.is_none() && checked.good.size < to {
        checked.problem = Some(missing(checked.good.size + 1));
    }
    Ok(checked)
}

fn problem_of(event: &ScannedEvent<'_>, prev: &Head) -> Option<Problem> {
    let seq = prev.size + 1;
    if event.seq != seq {
        return Some(missing(seq));
    }
    let id = Hash::of(event.content.as_bytes());
    if event.hash != Some(link(&prev.hash, seq, &id)) {
        return Some(changed(seq, "was changed after it was recorded"));
    }
    let same = match (columns_of(event.content), &event.columns) {
        (Some(expected), Some(stored)) => expected.equal(stored),
        (None, _) | (_, None) => false,
    };
    (!same).then(|| changed(seq, "has columns that differ from its content"))
}

fn changed(seq: u64, what: &str) -> Problem {
    Problem::new(ProblemKind::Changed, seq, format!("Event {seq} {what}."))
}

fn missing(seq: u64) -> Problem {
    Problem::new(ProblemKind::Missing, seq, format!("Event {seq} is missing."))
}

/// Refines a `Changed` problem: whether events were reordered or one was removed. `prev` is the last valid event, `to` the
/// last one.
pub fn refine(store: &dyn Store, prev: &Head, problem: Problem, to: u64) -> Problem {
    if problem.kind != ProblemKind::Changed {
        return problem;
    }
    let seq = problem.seq;
    let mut kind = None;
    let mut place_hash = None;
    let mut before: Option<(u64, Hash)> = None;
    let _damage = store.scan(seq..=to, &mut |event| {
        let (id, Some(hash)) = (Hash::of(event.content.as_bytes()), event.hash) else {
            return ControlFlow::Continue(());
        };
        let here = *place_hash.get_or_insert(hash);
        let expected = link(&prev.hash, seq, &id);
        if event.seq > seq && (expected == hash || expected == here) {
            kind = Some(ProblemKind::Order);
            return ControlFlow::Break(());
        }
        if let Some((at, previous)) = before.filter(|(at, _)| *at == seq) {
            // The rest of the chain continues under other numbers.
            if link(&previous, at + 2, &id) == hash {
                kind = Some(ProblemKind::Missing);
                return ControlFlow::Break(());
            }
        }
        before = Some((event.seq, hash));
        ControlFlow::Continue(())
    });
    match kind {
        Some(kind @ ProblemKind::Order) => {
            Problem::new(kind, seq, format!("Event {seq} was replaced by another event; its original was moved."))
        }
        Some(kind @ ProblemKind::Missing) => {
            Problem::new(kind, seq, format!("Event {seq} is missing; the events after it were renumbered."))
        }
        Some(ProblemKind::Changed | ProblemKind::Truncated | ProblemKind::Signature) | None => problem,
    }
}
