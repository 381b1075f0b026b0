//! Wakes the writer's thread, and reports its results to waiting callers.

use crate::ledger_error::LedgerError;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The number of events that are drained at once, without waiting for more.
const URGENT: u64 = 256;

/// How long the first event waits for further ones.
const BATCH_DELAY: Duration = Duration::from_millis(50);

#[derive(Default)]
pub struct Signals {
    /// Events since the writer's last turn.
    events: AtomicU64,
    state: Mutex<SignalState>,
    answered: Condvar,
}

#[derive(Default)]
struct SignalState {
    waiting: Waiting,
    /// When the events that wait are drained, if no more come.
    batch_until: Option<Instant>,
    requested: u64,
    /// The last answered request, and its result.
    answer: (u64, Option<LedgerError>),
    want: Want,
    /// The writer has ended for good.
    is_ended: bool,
}

/// Whether the writer's thread must be woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadNeed {
    Nothing,
    Wake,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Waiting {
    #[default]
    Nothing,
    Events,
    ManyEvents,
}

/// What the writer must do in addition to draining.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd)]
pub enum Want {
    #[default]
    Drain,
    Checkpoint,
    Close,
}

/// Why the writer was woken.
#[derive(Debug, Clone, Copy)]
pub struct Wake {
    pub request: u64,
    pub want: Want,
    pub why: WakeReason,
}

/// Whether there is anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeReason {
    Work,
    /// A caller waits for the result.
    Requested,
    /// The idle timeout passed.
    Idle,
}

impl Signals {
    /// An event was written to the spool.
    pub fn event(&self) -> ThreadNeed {
        let before = self.events.fetch_add(1, Ordering::Relaxed);
        if before == 0 {
            self.raise(Waiting::Events)
        } else if before == URGENT {
            self.raise(Waiting::ManyEvents)
        } else {
            ThreadNeed::Nothing
        }
    }

    fn raise(&self, waiting: Waiting) -> ThreadNeed {
        let mut state = self.state.lock();
        if state.is_ended || state.waiting >= waiting {
            return ThreadNeed::Nothing;
        }
        state.waiting = waiting;
        ThreadNeed::Wake
    }

    /// No thread could be started: the next event requests one again.
    pub fn thread_unavailable(&self) {
        self.state.lock().waiting = Waiting::Nothing;
        self.events.store(0, Ordering::Relaxed);
    }

    /// Whether the writer has ended for good.
    pub fn is_ended(&self) -> bool {
        self.state.lock().is_ended
    }

    /// Whether there is no work.
    pub fn is_idle(&self) -> bool {
        let state = self.state.lock();
        !state.is_requested() && state.waiting == Waiting::Nothing
    }

    /// Requests that the writer handles everything recorded before, and waits for the result. `wake` wakes the thread or
    /// starts it; `until` is the caller's deadline.
    pub fn ask(
        &self,
        want: Want,
        until: Option<Instant>,
        wake: impl FnOnce() -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        if state.is_ended {
            return Err(LedgerError::Closed);
        }
        wake()?;
        state.requested += 1;
        let request = state.requested;
        if state.want < want {
            state.want = want;
        }
        while state.answer.0 < request && !state.is_ended {
            match until {
                None => self.answered.wait(&mut state),
                Some(until) if self.answered.wait_until(&mut state, until).timed_out() => break,
                Some(_) => {}
            }
        }
        if state.answer.0 < request {
            return if state.is_ended { Err(LedgerError::Closed) } else { Ok(()) };
        }
        state.answer.1.clone().map_or(Ok(()), Err)
    }

    /// The work that is due, at `until` at the latest; otherwise when it may be due. After a failure, only requests are due
    /// earlier.
    pub fn take(&self, until: Instant, after: After) -> Result<Wake, Instant> {
        let now = Instant::now();
        let mut state = self.state.lock();
        let waiting = if after == After::Success { state.waiting } else { Waiting::Nothing };
        let (due, why) = match waiting {
            _ if state.is_requested() => (now, WakeReason::Requested),
            Waiting::ManyEvents => (now, WakeReason::Work),
            Waiting::Events => (*state.batch_until.get_or_insert(now + BATCH_DELAY), WakeReason::Work),
            Waiting::Nothing => (until, WakeReason::Idle),
        };
        if due > now {
            return Err(due);
        }
        state.waiting = Waiting::Nothing;
        state.batch_until = None;
        self.events.store(0, Ordering::Relaxed);
        Ok(Wake { request: state.requested, want: std::mem::take(&mut state.want), why })
    }

    /// Reports the outcome to all callers that requested before `wake`.
    pub fn answer(&self, wake: Wake, outcome: Result<(), LedgerError>) {
        let mut state = self.state.lock();
        state.answer = (wake.request, outcome.err());
        self.answered.notify_all();
    }

    /// Marks the writer as ended; waiting callers return.
    pub fn end(&self) {
        self.state.lock().is_ended = true;
        self.answered.notify_all();
    }
}

impl SignalState {
    fn is_requested(&self) -> bool {
        self.requested != self.answer.0
    }
}

/// The result of the writer's last turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    Success,
    Failure,
}
