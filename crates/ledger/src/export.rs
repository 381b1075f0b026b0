//! A ledger as lines of JSON, and the way back: is an exported ledger whole?

use super::canonical::canonical_object;
use super::chain::link;
use super::checkpoint::Checkpoint;
use super::dropped_event::DroppedEvent;
use super::event::{Head, StoredEvent};
use super::event_type::EventType;
use super::hash::Hash;
use super::ledger_error::LedgerError;
use super::query::{MAX_EVENTS, Query};
use super::signing_key::PublicKey;
use super::store::{CheckpointRow, Store};
use super::verification::{Problem, ProblemKind, Verification, Witness};
use serde_json::{Map, Value, json};

/// Some lines of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportPage {
    /// Events, and behind each the checkpoints that vouch for it: `{"checkpoint": "<signed note>"}`.
    pub lines: Vec<String>,
    /// Where the next page begins; `None` at the end.
    pub next: Option<u64>,
}

/// The lines behind an event, 0 for the first page.
pub fn page(store: &dyn Store, after: u64, limit: usize) -> Result<ExportPage, LedgerError> {
    let limit = limit.clamp(1, MAX_EVENTS);
    let events = store.events(&Query { limit, after_seq: Some(after), ..Query::default() })?;
    let (Some(first), Some(last)) = (events.first(), events.last()) else {
        return Ok(ExportPage { lines: Vec::new(), next: None });
    };
    // The first event that is kept follows what a checkpoint vouches for.
    let from = if after == 0 { first.seq.saturating_sub(1) } else { first.seq };
    let rows = store.checkpoints(from, limit + 1)?;
    let mut rows = rows.into_iter().filter(|row| row.size > 0 && row.size <= last.seq).peekable();
    let mut lines = Vec::with_capacity(events.len());
    for event in &events {
        while let Some(row) = rows.next_if(|row| row.size < event.seq) {
            lines.push(checkpoint_line(&row));
        }
        lines.push(event.json());
    }
    lines.extend(rows.map(|row| checkpoint_line(&row)));
    Ok(ExportPage { lines, next: (events.len() == limit).then_some(last.seq) })
}

fn checkpoint_line(row: &CheckpointRow) -> String {
    json!({ "checkpoint": row.note }).to_string()
}

/// Looks at exported lines, one after the other.
pub struct LinesCheck {
    /// Signatures are checked when it is known.
    key: Option<PublicKey>,
    head: Option<Head>,
    events: u64,
    problem: Option<Problem>,
    /// A number that was passed over; when it comes later, the order was changed.
    skipped: Option<u64>,
    /// Heads that checkpoints vouch for and that have not come yet.
    ahead: Vec<Head>,
    /// Up to where a checkpoint vouches for what has come.
    vouched: Option<u64>,
    /// The number of the first event.
    first: Option<u64>,
    /// What the first event follows, and whether the owner of the key has signed that what was before is gone.
    base: Head,
    is_dropped: bool,
    /// Heads that checkpoints behind the first have vouched for.
    passed: Vec<Head>,
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
            vouched: None,
            first: None,
            base: Head::NONE,
            is_dropped: false,
            passed: Vec::new(),
        }
    }

    /// Takes the next line.
    pub fn line(&mut self, line: &str) {
        let text = line.trim();
        if text.is_empty() {
            return;
        }
        let expected = self.head.map_or(0, |head| head.size) + 1;
        match serde_json::from_str::<Value>(line) {
            Ok(Value::Object(line)) => match line.get("checkpoint") {
                Some(Value::String(note)) if line.len() == 1 => self.checkpoint(note),
                Some(_) | None => self.event(line, text, expected),
            },
            Ok(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_)) | Err(_) => {
                self.report(ProblemKind::Changed, expected, format!("The line of event {expected} is not an event."));
            }
        }
    }

    /// What was found when there are no more lines.
    #[must_use]
    pub fn end(mut self) -> Verification {
        let head = self.head.unwrap_or(Head::NONE);
        if self.base.size > 0 && !self.is_dropped {
            let message = format!("The events up to {} are gone, and no signed event allows that.", self.base.size);
            self.report(ProblemKind::Missing, 1, message);
        }
        if self.ahead.iter().any(|seen| seen.size > head.size) {
            let message = format!("Events behind {} are gone from the end: a witness has seen them.", head.size);
            self.report(ProblemKind::Truncated, head.size + 1, message);
        }
        if self.vouched != Some(head.size) {
            let message = format!(
                "No checkpoint vouches for the end: what stood behind event {} is gone, or the export was not finished.",
                head.size
            );
            self.report(ProblemKind::Truncated, head.size + 1, message);
        }
        let first = self.first.unwrap_or(head.size + 1);
        Verification { first, events: self.events, head, problem: self.problem }
    }

    fn report(&mut self, kind: ProblemKind, seq: u64, message: String) {
        self.problem.get_or_insert(Problem::new(kind, seq, message));
    }

    fn checkpoint(&mut self, note: &str) {
        let Some(note) = Checkpoint::parse(note) else {
            return self.report(ProblemKind::Signature, 0, "A checkpoint is not one: it was changed.".to_owned());
        };
        let size = note.head.size;
        if self.key.is_some_and(|key| !note.is_signed_by(&key)) {
            let message = format!("The checkpoint at event {size} was not signed with the ledger's key.");
            return self.report(ProblemKind::Signature, size, message);
        }
        match self.head {
            None => {
                self.head = Some(note.head);
                self.vouched = Some(size);
                self.base = note.head;
                self.passed.push(note.head);
            }
            Some(head) if size > head.size => self.ahead.push(note.head),
            Some(head) if size == head.size && head.hash != note.head.hash => self.not_seen(size),
            Some(head) if size == head.size => {
                self.vouched = Some(size);
                self.passed.push(note.head);
            }
            Some(_) => {}
        }
    }

    fn not_seen(&mut self, size: u64) {
        let message =
            format!("Event {size}, or one before it, is not the one that a checkpoint or a witness has seen.");
        self.report(ProblemKind::Changed, size, message);
    }

    fn event(&mut self, mut line: Map<String, Value>, text: &str, expected: u64) {
        let Some(seq) = line.remove("seq").and_then(|seq| seq.as_u64()) else {
            return self.report(ProblemKind::Changed, expected, format!("The line of event {expected} has no number."));
        };
        if self.skipped == Some(seq) {
            self.skipped = None;
            let message = format!("Event {seq} stands behind others that came after it.");
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
            return self.report(ProblemKind::Order, expected, format!("Event {seq} stands where {expected} was."));
        }
        let mut hash = |name: &str| line.remove(name).as_ref().and_then(Value::as_str).and_then(Hash::parse);
        let (id, prev, said) = (hash("id"), hash("prev"), hash("hash"));
        let before = self.head.map_or(Hash::ZERO, |head| head.hash);
        let content = canonical_object(&line);
        let real = Hash::of(content.as_bytes());
        let linked = link(&before, seq, &real);
        // Other readers may see another event in other bytes, such as the first of two members with one name.
        let written = StoredEvent { seq, content, prev: before, hash: linked };
        let as_written = written.json() == text;
        if id != Some(real) || prev != Some(before) || said != Some(linked) || !as_written {
            return self.report(ProblemKind::Changed, seq, format!("Event {seq} is not what was recorded."));
        }
        self.head = Some(Head { size: seq, hash: linked });
        self.first.get_or_insert(seq);
        self.events += 1;
        self.dropped(&written.content);
        if self.ahead.iter().any(|seen| seen.size == seq && seen.hash != linked) {
            self.not_seen(seq);
        }
    }

    /// Looks whether an event says that what was before the first one may be gone.
    fn dropped(&mut self, content: &str) {
        if self.base.size == 0 || self.is_dropped {
            return;
        }
        // Few events are worth a closer look.
        let is_named = content.contains(EventType::Retention.as_str());
        let said =
            is_named.then(|| DroppedEvent::parse(content)).flatten().filter(|said| said.head.size >= self.base.size);
        self.is_dropped = said
            .is_some_and(|said| self.passed.contains(&said.head) && self.key.is_none_or(|key| said.is_signed_by(&key)));
    }
}
