//! Retention of events. They are dropped only up to a signed checkpoint, and a signed event records it.

use super::cut::{Cut, Cuts};
use super::dropped_event::{DroppedEvent, is_dropped};
use crate::callbacks::Log;
use crate::chain::chain_check::check;
use crate::checkpoint::checkpoint::Checkpoint;
use crate::checkpoint::checkpoints::Checkpoints;
use crate::checkpoint::signing_key::SigningKey;
use crate::event::event::{Head, PreparedEvent};
use crate::event::timestamp;
use crate::ledger_error::{LedgerError, Reason};
use crate::store::{Batch, Shrink, Store};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The interval between checks for old events.
const PAUSE: Duration = Duration::from_secs(60);

/// The most ranges dropped at once, so that events can be stored in between.
const AT_ONCE: usize = 32;

/// The most checkpoints of the same size that are checked: processes that share a ledger may each sign one.
const NOTES_OF_ONE_SIZE: usize = 100;

/// The retention limits; everything is kept by default.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retain {
    /// Milliseconds.
    pub max_age: Option<u64>,
    pub max_events: Option<u64>,
    /// Whether these limits are defaults: then they apply only to new ledgers.
    pub is_default: bool,
}

pub struct Retention {
    retain: Retain,
    store: Arc<dyn Store>,
    last: Mutex<Option<Instant>>,
    /// The spool name of its own events, which no process has.
    source: String,
    recorded: AtomicU64,
    /// Whether the dropping of events was logged.
    is_logged: AtomicBool,
}

impl Retention {
    #[must_use]
    pub fn new(retain: Retain, store: Arc<dyn Store>, process: &str) -> Self {
        let source = format!("retention-{process}");
        Self {
            retain,
            store,
            last: Mutex::default(),
            source,
            recorded: AtomicU64::new(0),
            is_logged: AtomicBool::new(false),
        }
    }

    /// Drops old events at intervals, and returns some space to the system.
    pub fn apply(&self, checkpoints: &Checkpoints, log: &Log) -> Result<(), LedgerError> {
        if self.retain == Retain::default() || self.last.lock().is_some_and(|last| last.elapsed() < PAUSE) {
            return Ok(());
        }
        *self.last.lock() = Some(Instant::now());
        if self.retain.is_default && !self.store.returns_space()? {
            return Ok(());
        }
        let bases = self.bases(&self.retain, checkpoints, timestamp::now(), AT_ONCE)?;
        if bases.len() == AT_ONCE {
            // Continued in the next turn.
            *self.last.lock() = None;
        }
        let dropped = self.drop_to(&bases, checkpoints)?;
        if let Some(last) = bases.last().filter(|_| dropped > 0 && !self.is_logged.swap(true, Ordering::Relaxed)) {
            log(&format!(
                "The ledger dropped {dropped} old events, up to event {}, by retainEvents and retainDays of \"ledger\". Set both to 0 to keep all events.",
                last.size
            ));
        }
        self.store.shrink(Shrink::Some)
    }

    /// The checkpoints up to which old events can be dropped, in order, at most `most`.
    pub fn bases(
        &self,
        retain: &Retain,
        checkpoints: &Checkpoints,
        now: u64,
        most: usize,
    ) -> Result<Vec<Head>, LedgerError> {
        let key = checkpoints.key()?;
        let mut base = self.store.base()?;
        // Unrecorded removals must stay detectable: nothing is signed that would cover them.
        if !is_dropped(&*self.store, &base, Some(&key.public()))? {
            return Err(LedgerError::NotWhole(1));
        }
        let cut = self.cut(retain, now)?;
        let (mut bases, mut inside) = (Vec::new(), Vec::new());
        while bases.len() < most
            && let Some(next) = self.next_base(&base, &key, cut)?
        {
            let cuts = Cuts::among(&*self.store, &key.public(), base.size, next.size)?;
            base = next;
            inside.push((next, cuts));
            // A ledger that begins inside a recorded cut would lose the record.
            let is_inside = |cut: &Cut| cut.after.size < next.size && next.size <= cut.up_to.size;
            if !inside.iter().any(|(_, cuts)| cuts.iter().any(is_inside)) {
                bases.extend(inside.drain(..).map(|(base, _)| base));
            }
        }
        Ok(bases)
    }

    /// Records that the events up to the last of these are dropped, and drops them. Returns their number.
    pub fn drop_to(&self, bases: &[Head], checkpoints: &Checkpoints) -> Result<u64, LedgerError> {
        let Some(last) = bases.last() else { return Ok(0) };
        self.record_dropped(last, &*checkpoints.key()?)?;
        let mut dropped = 0;
        for base in bases {
            dropped += self.store.drop_to(base)?;
        }
        Ok(dropped)
    }

    /// The last event that is too old, by the limits.
    fn cut(&self, retain: &Retain, now: u64) -> Result<u64, LedgerError> {
        let head = self.store.head()?;
        let by_count = retain.max_events.map(|most| head.size.saturating_sub(most.max(1)));
        let by_age = match retain.max_age {
            Some(age) => {
                let first = self.store.first_since(now.saturating_sub(age))?;
                Some(first.unwrap_or(head.size).saturating_sub(1))
            }
            None => None,
        };
        Ok(by_count.max(by_age).unwrap_or_default())
    }

    /// Signs that the events up to the current base were dropped, for a ledger of an older version. The base itself must be
    /// a signed checkpoint.
    ///
    /// # Errors
    /// `NotWhole` if it is not.
    pub fn sign_base(&self, checkpoints: &Checkpoints) -> Result<(), LedgerError> {
        let key = checkpoints.key()?;
        let base = self.store.base()?;
        if is_dropped(&*self.store, &base, Some(&key.public()))? {
            return Ok(());
        }
        let rows = self.store.checkpoints(base.size, NOTES_OF_ONE_SIZE)?;
        let mut notes = rows.iter().filter_map(|row| Checkpoint::parse(&row.note));
        if !notes.any(|note| note.head == base && note.is_signed_by(&key.public())) {
            return Err(LedgerError::NotWhole(1));
        }
        self.record_dropped(&base, &key)
    }

    /// Records that the events up to `base` are dropped, before dropping them.
    fn record_dropped(&self, base: &Head, key: &SigningKey) -> Result<(), LedgerError> {
        self.append(DroppedEvent::prepared(base, key))
    }

    /// Appends an event of the ledger itself to the store.
    pub fn append(&self, event: Option<PreparedEvent>) -> Result<(), LedgerError> {
        let event = event.ok_or(LedgerError::Unwritable(Reason::Refused))?;
        let spool = format!("{}.{}", self.source, self.recorded.fetch_add(1, Ordering::Relaxed));
        self.store.append(&Batch { events: &[event], spool: &spool, from: 0, to: 1 })?;
        self.store.forget_spool(&spool)
    }

    /// The next checkpoint after `base` up to which events may be dropped; never all events.
    fn next_base(&self, base: &Head, key: &SigningKey, cut: u64) -> Result<Option<Head>, LedgerError> {
        let next = self.store.checkpoints(base.size + 1, 1)?.into_iter().next();
        let Some(row) = next.filter(|row| row.size <= cut) else { return Ok(None) };
        let note = Checkpoint::parse(&row.note).filter(|note| note.is_signed_by(&key.public()));
        let note = note.ok_or(LedgerError::NotWhole(row.size))?;
        // Changed events must be reported, not dropped.
        if let Some(problem) = check(&*self.store, base, row.size)?.problem {
            return Err(LedgerError::NotWhole(problem.seq));
        }
        if note.head.size != row.size || self.store.hash_at(row.size)? != Some(note.head.hash) {
            return Err(LedgerError::NotWhole(row.size));
        }
        Ok(Some(note.head))
    }
}
