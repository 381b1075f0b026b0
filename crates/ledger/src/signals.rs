//! Wakes the writer's thread, and reports its results to waiting callers.

use super::ledger_error::LedgerError;
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
    wake: Condvar,
    answered: Condvar,
}

#[derive(Default)]
struct SignalState {
    waiting: Waiting,
    requested: u64,
    /// The last answered request, and its result.
    answer: (u64, Option<LedgerError>),
    want: Want,
    thread: Thread,
}

/// The state of the writer's thread.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Thread {
    /// It runs, or is about to start.
    #[default]
    Working,
    /// It has stopped until there is work.
    Resting,
    /// It has ended for good.
    Ended,
}

/// Whether a writer thread must be started.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadNeed {
    Nothing,
    Thread,
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
        if state.waiting < waiting {
            state.waiting = waiting;
            self.wake.notify_one();
        }
        state.wake_thread()
    }

    /// No thread could be started: the next event requests one again.
    pub fn thread_unavailable(&self) {
        let mut state = self.state.lock();
        state.thread = Thread::Resting;
        state.waiting = Waiting::Nothing;
        self.events.store(0, Ordering::Relaxed);
    }

    /// Lets the writer's thread stop until there is work; false if there is work.
    pub fn rest(&self) -> bool {
        let mut state = self.state.lock();
        let may_rest = state.requested == state.answer.0 && state.waiting == Waiting::Nothing;
        if may_rest {
            state.thread = Thread::Resting;
        }
        may_rest
    }

    /// Requests that the writer handles everything recorded before, and waits for the result. `start` starts a thread if
    /// there is none; `until` is the caller's deadline.
    pub fn ask(
        &self,
        want: Want,
        until: Option<Instant>,
        start: impl FnOnce() -> Result<(), LedgerError>,
    ) -> Result<(), LedgerError> {
        let mut state = self.state.lock();
        if state.thread == Thread::Ended {
            return Err(LedgerError::Closed);
        }
        if state.wake_thread() == ThreadNeed::Thread
            && let Err(error) = start()
        {
            state.thread = Thread::Resting;
            return Err(error);
        }
        state.requested += 1;
        let request = state.requested;
        if state.want < want {
            state.want = want;
        }
        self.wake.notify_one();
        while state.answer.0 < request && state.thread != Thread::Ended {
            match until {
                None => self.answered.wait(&mut state),
                Some(until) if self.answered.wait_until(&mut state, until).timed_out() => break,
                Some(_) => {}
            }
        }
        if state.answer.0 < request {
            return if state.thread == Thread::Ended { Err(LedgerError::Closed) } else { Ok(()) };
        }
        state.answer.1.clone().map_or(Ok(()), Err)
    }

    /// Waits for work, at most `idle`. After a failure, only requests end the wait early.
    pub fn wait(&self, idle: Duration, after: After) -> Wake {
        let until = Instant::now() + idle;
        let mut state = self.state.lock();
        let nothing = |state: &SignalState| {
            state.requested == state.answer.0 && (after == After::Failure || state.waiting == Waiting::Nothing)
        };
        while nothing(&state) && !self.wake.wait_until(&mut state, until).timed_out() {}
        let why = if nothing(&state) { WakeReason::Idle } else { WakeReason::Work };
        let until = Instant::now() + BATCH_DELAY;
        let few = |state: &SignalState| {
            state.requested == state.answer.0 && state.waiting == Waiting::Events && after == After::Success
        };
        while few(&state) && !self.wake.wait_until(&mut state, until).timed_out() {}
        state.waiting = Waiting::Nothing;
        self.events.store(0, Ordering::Relaxed);
        let why = if state.requested == state.answer.0 { why } else { WakeReason::Requested };
        Wake { request: state.requested, want: std::mem::take(&mut state.want), why }
    }

    /// Reports the outcome to all callers that requested before `wake`.
    pub fn answer(&self, wake: Wake, outcome: Result<(), LedgerError>) {
        let mut state = self.state.lock();
        state.answer = (wake.request, outcome.err());
        self.answered.notify_all();
    }

    /// Marks the writer as ended; waiting callers return.
    pub fn end(&self) {
        self.state.lock().thread = Thread::Ended;
        self.answered.notify_all();
    }
}

impl SignalState {
    /// Marks a stopped thread as working, and returns whether it must be started.
    fn wake_thread(&mut self) -> ThreadNeed {
        if self.thread == Thread::Resting {
            self.thread = Thread::Working;
            return ThreadNeed::Thread;
        }
        ThreadNeed::Nothing
    }
}

/// The result of the writer's last turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    Success,
    Failure,
}
