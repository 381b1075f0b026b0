//! How long events are kept. They go only up to a signed checkpoint, which then vouches for them.

use super::chain_check::check;
use super::checkpoint::Checkpoint;
use super::checkpoints::Checkpoints;
use super::event::Head;
use super::ledger_error::LedgerError;
use super::store::Store;
use super::timestamp;
use parking_lot::Mutex;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How often old events are looked for.
const PAUSE: Duration = Duration::from_secs(60);

/// What is kept; everything, when nothing is said.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Retain {
    /// Milliseconds.
    pub max_age: Option<u64>,
    pub max_events: Option<u64>,
}

pub struct Retention {
    retain: Retain,
    store: Arc<dyn Store>,
    last: Mutex<Option<Instant>>,
}

impl Retention {
    #[must_use]
    pub fn new(retain: Retain, store: Arc<dyn Store>) -> Self {
        Self { retain, store, last: Mutex::default() }
    }

    /// Drops what is too old, from time to time.
    pub fn apply(&self, checkpoints: &Checkpoints) -> Result<(), LedgerError> {
        if self.retain == Retain::default() || self.last.lock().is_some_and(|last| last.elapsed() < PAUSE) {
            return Ok(());
        }
        *self.last.lock() = Some(Instant::now());
        self.drop_old(checkpoints, timestamp::now()).map(|_| ())
    }

    /// Drops what is too old at a time. Answers how many events went.
    pub fn drop_old(&self, checkpoints: &Checkpoints, now: u64) -> Result<u64, LedgerError> {
        let mut dropped = 0;
        while let Some(base) = self.next_base(checkpoints, now)? {
            dropped += self.store.drop_to(&base)?;
        }
        Ok(dropped)
    }

    /// The next checkpoint up to which events may go: never all of them.
    fn next_base(&self, checkpoints: &Checkpoints, now: u64) -> Result<Option<Head>, LedgerError> {
        let (base, head) = (self.store.base()?, self.store.head()?);
        let by_count = self.retain.max_events.map(|most| head.size.saturating_sub(most.max(1)));
        let by_age = match self.retain.max_age {
            Some(age) => {
                let first = self.store.first_since(now.saturating_sub(age))?;
                Some(first.unwrap_or(head.size).saturating_sub(1))
            }
            None => None,
        };
        let cut = by_count.max(by_age).unwrap_or_default();
        let next = self.store.checkpoints(base.size + 1, 1)?.into_iter().next();
        let Some(row) = next.filter(|row| row.size <= cut) else { return Ok(None) };
        let key = checkpoints.key()?.public();
        let note = Checkpoint::parse(&row.note).filter(|note| note.is_signed_by(&key));
        let note = note.ok_or(LedgerError::NotWhole(row.size))?;
        // What was changed must be found, not dropped.
        if let Some(problem) = check(&*self.store, &base, row.size)?.problem {
            return Err(LedgerError::NotWhole(problem.seq));
        }
        if note.head.size != row.size || self.store.hash_at(row.size)? != Some(note.head.hash) {
            return Err(LedgerError::NotWhole(row.size));
        }
        Ok(Some(note.head))
    }
}
