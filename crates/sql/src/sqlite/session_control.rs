//! What a session is told while it is at work, and what it has been judged to do.

use super::watch::Watch;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Instant;

/// What other threads may tell a session that is at work.
#[derive(Debug, Default)]
pub struct SessionControl {
    deadline: Mutex<Option<Instant>>,
    cancelled: AtomicBool,
    /// Longest value that the statement under way may make, in bytes.
    longest: AtomicUsize,
    /// How long values may be however few bytes the rows may have.
    least_longest: AtomicUsize,
    /// Whether the file is nobody else's and its journal mode has not been seen to yet.
    awaits_wal: AtomicBool,
    /// What the authorizer goes by; only the session's own thread asks for it.
    watch: Mutex<Watch>,
}

impl SessionControl {
    pub(super) fn must_stop(&self) -> bool {
        self.is_cancelled() || self.is_late()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Stops the statement under way and refuses those behind it.
    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    pub(super) fn forget_cancellation(&self) {
        self.cancelled.store(false, Ordering::Release);
    }

    pub(super) fn is_late(&self) -> bool {
        self.deadline.lock().is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock() = deadline;
    }

    pub(super) fn longest(&self) -> usize {
        self.longest.load(Ordering::Acquire)
    }

    pub(super) fn set_longest(&self, bytes: usize) {
        self.longest.store(bytes, Ordering::Release);
    }

    pub(super) fn least_longest(&self) -> usize {
        self.least_longest.load(Ordering::Acquire)
    }

    pub(super) fn set_least_longest(&self, bytes: usize) {
        self.least_longest.store(bytes, Ordering::Release);
    }

    pub(super) fn awaits_wal(&self) -> bool {
        self.awaits_wal.load(Ordering::Acquire)
    }

    pub(super) fn set_awaits_wal(&self, awaits: bool) {
        self.awaits_wal.store(awaits, Ordering::Release);
    }

    pub(super) fn with_watch<T>(&self, look: impl FnOnce(&mut Watch) -> T) -> T {
        look(&mut self.watch.lock())
    }

    /// Runs a statement of the session itself: neither guarded nor cancelled.
    pub(super) fn own<T>(&self, work: impl FnOnce() -> T) -> T {
        self.with_watch(Watch::open_for_own);
        let cancelled = self.cancelled.swap(false, Ordering::AcqRel);
        let done = work();
        self.cancelled.fetch_or(cancelled, Ordering::AcqRel);
        self.with_watch(Watch::close);
        done
    }
}
