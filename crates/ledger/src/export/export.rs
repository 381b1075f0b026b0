//! Export of a ledger as lines of JSON, and verification of an export.

use crate::chain::chain::link;
use crate::checkpoint::checkpoint::{Checkpoint, Statement};
use crate::checkpoint::signing_key::{PublicKey, SigningKey};
use crate::event::canonical::canonical_object;
use crate::event::event::{Head, StoredEvent};
use crate::event::event_type::EventType;
use crate::hash::Hash;
use crate::ledger_error::LedgerError;
use crate::query::{MAX_EVENTS, Query};
use crate::retention::dropped_event::DroppedEvent;
use crate::store::Store;
use crate::verification::{Problem, ProblemKind, Verification, Witness};
use serde_json::{Map, Value, json};
use std::cmp::Ordering;

/// A page of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportPage {
    /// Events, each followed by the checkpoints at it: `{"checkpoint": "<signed note>"}`; at the end
    /// `{"end": {"hash": …, "signature": …, "size": …}}`.
    pub lines: Vec<String>,
    /// The start of the next page; `None` at the end.
    pub next: Option<u64>,
}

const NO_END: &str =
    "The export has no signed end, which older versions did not write. Events after the last one may be missing.";

/// The lines after an event, 0 for the first page. The last page ends with a signed end line.
pub fn page(store: &dyn Store, after: u64, limit: usize, key: &SigningKey) -> Result<ExportPage, LedgerError> {
    let limit = limit.clamp(1, MAX_EVENTS);
    let events = store.events(&Query { limit, after_seq: Some(after), ..Query::default() })?;
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        let hash = if after == 0 { None } else { store.hash_at(after)? };
        let lines = hash.map(|hash| signed_end(&Head { size: after, hash }, key)).into_iter().collect();
        return Ok(ExportPage { lines, next: None });
    };
    // The first kept event follows a checkpoint.
    let from = if after == 0 { first.seq.saturating_sub(1) } else { first.seq };
    let rows = store.checkpoints(from, limit + 1)?;
    let mut rows = rows.into_iter().filter(|row| row.size > 0 && row.size <= last.seq).peekable();
    let mut lines = Vec::with_capacity(events.len());
    for event in &events {
        while let Some(row) = rows.next_if(|row| row.size < event.seq) {
            lines.push(checkpoint_line(&row.note));
        }
        lines.push(event.json());
    }
    lines.extend(rows.map(|row| checkpoint_line(&row.note)));
    let next = (events.len() == limit).then_some(last.seq);
    if next.is_none() {
        lines.push(signed_end(&Head { size: last.seq, hash: last.hash }, key));
    }
    Ok(ExportPage { lines, next })
}

fn signed_end(head: &Head, key: &SigningKey) -> String {
    end_line(head, &Statement::Exported.signature(head, key))
}

fn end_line(head: &Head, signature: &str) -> String {
    json!({ "end": { "hash": head.hash.hex(), "signature": signature, "size": head.size } }).to_string()
}

fn checkpoint_line(note: &str) -> String {
    json!({ "checkpoint": note }).to_string()
}

/// Verifies exported lines, one after the other.
pub struct LinesCheck {
    /// `None`: signatures are not checked.
    key: Option<PublicKey>,
    head: Option<Head>,
    events: u64,
    problem: Option<Problem>,
    /// A skipped event number; if it comes later, the order was changed.
    skipped: Option<u64>,
    /// Heads of checkpoints whose events have not come yet.
    ahead: Vec<Head>,
    /// The last event that a checkpoint covers.
    covered: Option<u64>,
    /// The number of the first event.
    first: Option<u64>,
    /// The head before the first event, and whether a signed event allows earlier events to be missing.
    base: Head,
    is_dropped: bool,
    /// Heads of valid checkpoints after the first.
    passed: Vec<Head>,
    /// Whether the end line has come.
    is_ended: bool,
}

impl LinesCheck {
    #[must_use]
    pub fn new(key: Option<PublicKey>, witnesses: &[Witness]) -> Self {
        let ahead = witnesses.iter().map(|witness| Head { size: witness.size, hash: witness.head }).collect();
        Self {
            key,
            head: None,
            events: 0,
            problem: None,
            skipped: None,
            ahead,
            covered: None,
            first: None,
            base: Head::NONE,
            is_dropped: false,
            passed: Vec::new(),
            is_ended: false,
        }
    }

    /// Verifies the next line, without its line break.
    pub fn line(&mut self, line: &str) {
        let expected = self.head.map_or(0, |head| head.size) + 1;
        if self.is_ended {
            let message = format!("A line follows the end of the export at event {}.", expected - 1);
            return self.report(ProblemKind::Changed, expected, message);
        }
        let parsed = match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(parsed)) => parsed,
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | Err(_) => {
                let message = format!("The line of event {expected} is not an event.");
                return self.report(ProblemKind::Changed, expected, message);
            }
        };
        // Only the exact text is accepted, since other parsers may read other bytes differently (duplicate members).
        let end = parsed.get("end").and_then(end_of).filter(|(head, signature)| end_line(head, signature) == line);
        let note = parsed.get("checkpoint").and_then(Value::as_str).filter(|note| checkpoint_line(note) == line);
        match (end, note) {
            (Some((head, signature)), _) => self.ended(&head, signature),
            (None, Some(note)) => self.checkpoint(note),
            (None, None) => self.event(parsed, line, expected),
        }
    }

    /// The result after the last line.
    #[must_use]
    pub fn end(mut self) -> Verification {
        let head = self.head.unwrap_or(Head::NONE);
        if self.base.size > 0 && !self.is_dropped {
            let message = format!("The events up to {} are missing, and no signed event allows that.", self.base.size);
            self.report(ProblemKind::Missing, 1, message);
        }
        if self.ahead.iter().any(|seen| seen.size > head.size) {
            let message = format!("Events after {} are missing from the end, but a witness has seen them.", head.size);
            self.report(ProblemKind::Truncated, head.size + 1, message);
        }
        if self.covered != Some(head.size) {
            let message = format!(
                "No checkpoint covers the end: events after event {} are missing, or the export is incomplete.",
                head.size
            );
            self.report(ProblemKind::Truncated, head.size + 1, message);
        }
        let first = self.first.unwrap_or(head.size + 1);
        let note = (self.problem.is_none() && !self.is_ended).then_some(NO_END);
        Verification { first, events: self.events, head, problem: self.problem, note }
    }

    fn report(&mut self, kind: ProblemKind, seq: u64, message: String) {
        self.problem.get_or_insert(Problem::new(kind, seq, message));
    }

    /// Compares the verified events with the end line.
    fn ended(&mut self, stated: &Head, signature: &str) {
        self.is_ended = true;
        let size = stated.size;
        if self.key.is_some_and(|key| !Statement::Exported.is_signed(stated, signature, &key)) {
            let message = format!("The end at event {size} was not signed with the ledger's key.");
            return self.report(ProblemKind::Signature, size, message);
        }
        let head = self.head.unwrap_or(Head::NONE);
        match head.size.cmp(&size) {
            Ordering::Less => {
                let message = format!("Events {} to {size} are missing from the end.", head.size + 1);
                self.report(ProblemKind::Truncated, head.size + 1, message);
            }
            Ordering::Equal if head.hash == stated.hash => self.covered = Some(size),
            Ordering::Equal => self.not_seen(size),
            Ordering::Greater => {
                let message = format!("Event {} follows the end of the export at event {size}.", size + 1);
                self.report(ProblemKind::Changed, size + 1, message);
            }
        }
    }

    fn checkpoint(&mut self, note: &str) {
        let Some(note) = Checkpoint::parse(note) else {
            return self.report(ProblemKind::Signature, 0, "A checkpoint was changed and is not valid.".to_owned());
        };
        let size = note.head.size;
        if self.key.is_some_and(|key| !note.is_signed_by(&key)) {
            let message = format!("The checkpoint at event {size} was not signed with the ledger's key.");
            return self.report(ProblemKind::Signature, size, message);
        }
        match self.head {
            None => {
                self.head = Some(note.head);
                self.covered = Some(size);
                self.base = note.head;
                self.passed.push(note.head);
            }
            Some(head) if size > head.size => self.ahead.push(note.head),
            Some(head) if size == head.size && head.hash != note.head.hash => self.not_seen(size),
            Some(head) if size == head.size => {
                self.covered = Some(size);
                self.passed.push(note.head);
            }
            Some(_) => {}
        }
    }

    fn not_seen(&mut self, size: u64) {
        let message =
            format!("Event {size}, or an earlier one, differs from the one that a checkpoint or a witness has seen.");
        self.report(ProblemKind::Changed, size, message);
    }

    fn event(&mut self, mut line: Map<String, Value>, text: &str, expected: u64) {
        let Some(seq) = line.remove("seq").and_then(|seq| seq.as_u64()) else {
            return self.report(ProblemKind::Changed, expected, format!("The line of event {expected} has no number."));
        };
        if self.skipped == Some(seq) {
            self.skipped = None;
            let message = format!("Event {seq} is out of order: later events precede it.");
            self.problem = Some(Problem::new(ProblemKind::Order, seq, message));
        }
        if self.problem.is_some() {
            return;
        }
        if seq > expected {
            self.skipped = Some(expected);
            return self.report(ProblemKind::Missing, expected, format!("Event {expected} is missing."));
        }
        if seq < expected {
            return self.report(
                ProblemKind::Order,
                expected,
                format!("Event {seq} is in the place of event {expected}."),
            );
        }
        let mut hash = |name: &str| line.remove(name).as_ref().and_then(Value::as_str).and_then(Hash::parse);
        let (id, prev, stated) = (hash("id"), hash("prev"), hash("hash"));
        let before = self.head.map_or(Hash::ZERO, |head| head.hash);
        let content = canonical_object(&line);
        let real = Hash::of(content.as_bytes());
        let linked = link(&before, seq, &real);
        let written = StoredEvent { seq, content, prev: before, hash: linked };
        let as_written = written.json() == text;
        if id != Some(real) || prev != Some(before) || stated != Some(linked) || !as_written {
            return self.report(ProblemKind::Changed, seq, format!("Event {seq} was changed after it was recorded."));
        }
        self.head = Some(Head { size: seq, hash: linked });
        self.first.get_or_insert(seq);
        self.events += 1;
        self.dropped(&written.content);
        if self.ahead.iter().any(|seen| seen.size == seq && seen.hash != linked) {
            self.not_seen(seq);
        }
    }

    /// Checks whether a signed event allows the events before the first one to be missing.
    fn dropped(&mut self, content: &str) {
        if self.base.size == 0 || self.is_dropped {
            return;
        }
        // Cheap check first: few events are of this type.
        let is_named = content.contains(EventType::Retention.as_str());
        let stated = is_named
            .then(|| DroppedEvent::parse(content))
            .flatten()
            .filter(|stated| stated.head.size >= self.base.size);
        self.is_dropped = stated.is_some_and(|stated| {
            self.passed.contains(&stated.head) && self.key.is_none_or(|key| stated.is_signed_by(&key))
        });
    }
}

/// Parses the head and the signature of an end line.
fn end_of(stated: &Value) -> Option<(Head, &str)> {
    let hash = Hash::parse(stated.get("hash")?.as_str()?)?;
    Some((Head { size: stated.get("size")?.as_u64()?, hash }, stated.get("signature")?.as_str()?))
}
