//! How the writer's thread is woken, and how those who wait for it are answered.

use super::ledger_error::LedgerError;
use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Events that are drained at once, without waiting for more.
const URGENT: u64 = 256;

/// How long the first event waits for others.
const GATHER: Duration = Duration::from_millis(50);

#[derive(Default)]
pub struct Signals {
    /// Events since the writer last looked.
    events: AtomicU64,
    state: Mutex<State>,
    wake: Condvar,
    answered: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Waiting,
    asked: u64,
    /// The last ask that is answered, and how.
    answer: (u64, Option<LedgerError>),
    want: Want,
    thread: Thread,
}

/// What has become of the writer's thread.
#[derive(Default, Clone, Copy, PartialEq, Eq)]
enum Thread {
    /// It is there, or about to be.
    #[default]
    Working,
    /// It had nothing to do for a while, and is gone until there is.
    Resting,
    /// It is gone for good.
    Ended,
}

/// Whether the writer needs a thread to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
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

/// What the writer is to do beside draining.
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
    pub ask: u64,
    pub want: Want,
    pub why: Why,
}

/// Whether there is anything to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    Work,
    /// Somebody waits to know all that was recorded.
    Asked,
    /// Nothing came for as long as was waited.
    Idle,
}

impl Signals {
    /// An event was written to the spool.
    pub fn event(&self) -> Need {
        let before = self.events.fetch_add(1, Ordering::Relaxed);
        if before == 0 {
            self.raise(Waiting::Events)
        } else if before == URGENT {
            self.raise(Waiting::ManyEvents)
        } else {
            Need::Nothing
        }
    }

    fn raise(&self, waiting: Waiting) -> Need {
        let mut state = self.state.lock();
        if state.waiting < waiting {
            state.waiting = waiting;
            self.wake.notify_one();
        }
        state.roused()
    }

    /// There is no thread to be had now: the next event asks for one again.
    pub fn no_thread(&self) {
        let mut state = self.state.lock();
        state.thread = Thread::Resting;
        state.waiting = Waiting::Nothing;
        self.events.store(0, Ordering::Relaxed);
    }

    /// Lets the writer's thread end until there is something to do; false when there is.
    pub fn rest(&self) -> bool {
        let mut state = self.state.lock();
        let may_rest = state.asked == state.answer.0 && state.waiting == Waiting::Nothing;
        if may_rest {
            state.thread = Thread::Resting;
        }
        may_rest
    }

    /// Has everything that was recorded before done with, and waits for it.
    /// `start` gives the writer a thread when it has none; `until` is the deadline of the caller.
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
        if state.roused() == Need::Thread
            && let Err(error) = start()
        {
            state.thread = Thread::Resting;
            return Err(error);
        }
        state.asked += 1;
        let ask = state.asked;
        if state.want < want {
            state.want = want;
        }
        self.wake.notify_one();
        while state.answer.0 < ask && state.thread != Thread::Ended {
            match until {
                None => self.answered.wait(&mut state),
                Some(until) if self.answered.wait_until(&mut state, until).timed_out() => break,
                Some(_) => {}
            }
        }
        if state.answer.0 < ask {
            return if state.thread == Thread::Ended { Err(LedgerError::Closed) } else { Ok(()) };
        }
        state.answer.1.clone().map_or(Ok(()), Err)
    }

    /// Waits until there is something to do, `idle` at most. After a failure (`pause`) only asks are heard before that.
    pub fn wait(&self, idle: Duration, after: After) -> Wake {
        let until = Instant::now() + idle;
        let mut state = self.state.lock();
        let nothing = |state: &State| {
            state.asked == state.answer.0 && (after == After::Failure || state.waiting == Waiting::Nothing)
        };
        while nothing(&state) && !self.wake.wait_until(&mut state, until).timed_out() {}
        let why = if nothing(&state) { Why::Idle } else { Why::Work };
        let until = Instant::now() + GATHER;
        let few = |state: &State| {
            state.asked == state.answer.0 && state.waiting == Waiting::Events && after == After::Success
        };
        while few(&state) && !self.wake.wait_until(&mut state, until).timed_out() {}
        state.waiting = Waiting::Nothing;
        self.events.store(0, Ordering::Relaxed);
        let why = if state.asked == state.answer.0 { why } else { Why::Asked };
        Wake { ask: state.asked, want: std::mem::take(&mut state.want), why }
    }

    /// Answers everybody who asked before `wake`.
    pub fn answer(&self, wake: Wake, outcome: Result<(), LedgerError>) {
        let mut state = self.state.lock();
        state.answer = (wake.ask, outcome.err());
        self.answered.notify_all();
    }

    /// Nobody is answered any more.
    pub fn end(&self) {
        self.state.lock().thread = Thread::Ended;
        self.answered.notify_all();
    }
}

impl State {
    /// There is something to do.
    fn roused(&mut self) -> Need {
        if self.thread == Thread::Resting {
            self.thread = Thread::Working;
            return Need::Thread;
        }
        Need::Nothing
    }
}

/// How the last turn of the writer went.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum After {
    Success,
    Failure,
}
