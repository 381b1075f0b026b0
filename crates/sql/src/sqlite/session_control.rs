//! Shared state of a running session: cancellation, deadline, limits and authorizer.

use super::authorizer::Authorizer;
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// State of a session that other threads may set while it runs.
#[derive(Debug, Default)]
pub struct SessionControl {
    deadline: Mutex<Option<Instant>>,
    /// When an internal statement stops waiting for a lock.
    lock_deadline: Mutex<Option<Instant>>,
    /// The time limit of the transaction's statements.
    statement_timeout: Mutex<Option<Duration>>,
    cancelled: AtomicBool,
    /// Maximum value length of the running statement, in bytes.
    value_limit: AtomicUsize,
    /// Minimum of the value limit, even if `maxBytes` is lower.
    min_value_limit: AtomicUsize,
    /// Whether the file is not shared, and still has to be switched to WAL.
    needs_wal: AtomicBool,
    /// State of the authorizer. Used only on the session's own thread.
    authorizer: Mutex<Authorizer>,
}

impl SessionControl {
    pub(super) fn must_stop(&self) -> bool {
        self.is_cancelled() || self.is_past_deadline()
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Stops the running statement and refuses queued ones.
    pub(super) fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    pub(super) fn clear_cancellation(&self) {
        self.cancelled.store(false, Ordering::Release);
    }

    pub(super) fn is_past_deadline(&self) -> bool {
        self.deadline.lock().is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn set_deadline(&self, deadline: Option<Instant>) {
        *self.deadline.lock() = deadline;
    }

    pub(super) fn set_statement_timeout(&self, timeout: Duration) {
        *self.statement_timeout.lock() = Some(timeout);
    }

    /// Whether a wait for a lock must end: the statement must stop, or an internal one has waited as long as a statement may.
    pub(super) fn must_stop_waiting(&self) -> bool {
        self.must_stop() || self.lock_deadline.lock().is_some_and(|deadline| Instant::now() >= deadline)
    }

    pub(super) fn value_limit(&self) -> usize {
        self.value_limit.load(Ordering::Acquire)
    }

    pub(super) fn set_value_limit(&self, bytes: usize) {
        self.value_limit.store(bytes, Ordering::Release);
    }

    pub(super) fn min_value_limit(&self) -> usize {
        self.min_value_limit.load(Ordering::Acquire)
    }

    pub(super) fn set_min_value_limit(&self, bytes: usize) {
        self.min_value_limit.store(bytes, Ordering::Release);
    }

    pub(super) fn needs_wal(&self) -> bool {
        self.needs_wal.load(Ordering::Acquire)
    }

    pub(super) fn set_needs_wal(&self, awaits: bool) {
        self.needs_wal.store(awaits, Ordering::Release);
    }

    pub(super) fn with_authorizer<T>(&self, look: impl FnOnce(&mut Authorizer) -> T) -> T {
        look(&mut self.authorizer.lock())
    }

    /// Runs an internal statement, without authorizer and cancellation. It waits for locks as long as a statement may take.
    pub(super) fn run_internal<T>(&self, work: impl FnOnce() -> T) -> T {
        self.with_authorizer(Authorizer::allow_internal);
        let cancelled = self.cancelled.swap(false, Ordering::AcqRel);
        let timeout = *self.statement_timeout.lock();
        *self.lock_deadline.lock() = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
        let done = work();
        *self.lock_deadline.lock() = None;
        self.cancelled.fetch_or(cancelled, Ordering::AcqRel);
        self.with_authorizer(Authorizer::close);
        done
    }
}
