//! The writer thread of a process, which moves events into the store.

use super::drain::Drain;
use super::signals::{After, Signals, Wake, WakeReason, Want};
use crate::callbacks::Log;
use crate::checkpoint::checkpoints::Checkpoints;
use crate::event::event::Head;
use crate::ledger_error::LedgerError;
use crate::retention::retention::Retention;
use crate::spool::spool::Spool;
use crate::spool::spool_file::Stage;
use crate::store::StoreScope;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads::Next;

/// The interval between searches for spools of ended processes.
const ORPHAN_INTERVAL: Duration = Duration::from_secs(10);
/// The same while a caller waits.
const ORPHAN_INTERVAL_ON_REQUEST: Duration = Duration::from_millis(100);

/// The idle time after which the thread stops until there is work.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause after the first failure; it doubles up to the longest pause.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const MAX_PAUSE: Duration = Duration::from_secs(5);

/// What the writer does after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WriterNext {
    /// Sleeps until this time, or until it is woken.
    Sleep(Instant),
    /// Ends until there is work.
    Rest,
    /// Ends for good.
    Closed,
}

/// The state shared by the writer and the `Ledger`.
pub struct Shared {
    pub spool: Spool,
    pub signals: Signals,
    pub drain: Drain,
    pub checkpoints: Checkpoints,
    pub retention: Retention,
    /// The last known head.
    pub head: Mutex<Head>,
    pub log: Log,
}

/// The writer's own state.
struct WriterState {
    positions: HashMap<String, u64>,
    orphans: Option<Instant>,
    pause: Duration,
    after: After,
    /// The end of the pause, or of the idle time.
    until: Instant,
    server: Server,
}

/// Whether the last request to a remote store succeeded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    Reached,
    Away,
}

/// The step of the writer's thread: drains until the ledger is closed or idle.
pub fn steps(shared: Arc<Shared>) -> impl FnMut() -> Next + Send + 'static {
    let mut state = WriterState::new();
    move || {
        // An event that was recorded while the writer closed or panicked has woken it again.
        if shared.signals.is_ended() {
            return Next::End;
        }
        let ended = EndSignal(&shared.signals);
        let next = state.step(&shared);
        if next != WriterNext::Closed {
            std::mem::forget(ended);
        }
        match next {
            WriterNext::Sleep(until) => Next::At(until),
            WriterNext::Rest | WriterNext::Closed => Next::End,
        }
    }
}

/// Releases waiting callers when the writer ends.
struct EndSignal<'a>(&'a Signals);

impl Drop for EndSignal<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl WriterState {
    fn new() -> Self {
        Self {
            positions: HashMap::new(),
            orphans: None,
            pause: FIRST_PAUSE,
            after: After::Success,
            until: Instant::now() + IDLE_TIMEOUT,
            server: Server::Reached,
        }
    }

    fn step(&mut self, shared: &Shared) -> WriterNext {
        let wake = match shared.signals.take(self.until, self.after) {
            Ok(wake) => wake,
            Err(due) => return WriterNext::Sleep(due),
        };
        if wake.why == WakeReason::Idle && self.may_stop() && self.rest(shared) {
            // The next event or request starts the thread again.
            *self = Self::new();
            return WriterNext::Rest;
        }
        let before = *shared.head.lock();
        let outcome = self.turn(shared, wake);
        // A turn without events sends no request to the store.
        let is_answered = wake.want != Want::Drain || *shared.head.lock() != before;
        if outcome.is_err() || is_answered {
            self.note_server(shared, &outcome);
        }
        (self.after, self.pause) = match &outcome {
            Ok(()) => (After::Success, FIRST_PAUSE),
            Err(_) => (After::Failure, (self.pause * 2).min(MAX_PAUSE)),
        };
        self.until = Instant::now() + if self.after == After::Success { IDLE_TIMEOUT } else { self.pause };
        shared.signals.answer(wake, outcome);
        if wake.want == Want::Close { WriterNext::Closed } else { WriterNext::Sleep(self.until) }
    }

    fn turn(&mut self, shared: &Shared, wake: Wake) -> Result<(), LedgerError> {
        let retried = match wake.want {
            Want::Drain | Want::Checkpoint => shared.spool.retry(),
            Want::Close => shared.spool.write_all(),
        };
        self.drain_own(shared)?;
        // Lines that did not fit before may fit now.
        let retried = retried.or_else(|_| shared.spool.retry().and_then(|()| self.drain_own(shared)));
        let pause = match wake.why {
            WakeReason::Requested => ORPHAN_INTERVAL_ON_REQUEST,
            WakeReason::Work | WakeReason::Idle => ORPHAN_INTERVAL,
        };
        if self.orphans.is_none_or(|last| last.elapsed() >= pause) {
            let head = shared.drain.drain_orphans(shared.spool.process())?;
            remember(shared, head);
            self.orphans = Some(Instant::now());
        }
        let head = *shared.head.lock();
        if shared.drain.store.scope() == StoreScope::Machines && head.size > 0 {
            // Caches the key for commits, which do not wait for the store.
            let _later = shared.checkpoints.key();
        }
        let signed = match wake.want {
            // Failed signing or retention is retried later; the events are stored nevertheless.
            Want::Drain => {
                let _later = shared.checkpoints.sign_when_due(&head);
                let _later = shared.retention.apply(&shared.checkpoints, &shared.log);
                Ok(())
            }
            Want::Checkpoint => shared.checkpoints.sign(),
            Want::Close => {
                let signed = shared.checkpoints.sign();
                self.close(shared).and(signed)
            }
        };
        shared.spool.rotate()?;
        retried.and(signed)
    }

    /// Whether the thread may stop: not before the return of the server was logged.
    fn may_stop(&self) -> bool {
        self.after == After::Success && self.server == Server::Reached
    }

    /// Logs once when the server becomes unreachable, and once when it is back.
    fn note_server(&mut self, shared: &Shared, outcome: &Result<(), LedgerError>) {
        let (server, text) = match outcome {
            Err(error @ LedgerError::Unreachable(_)) => (Server::Away, format!("{error} Calls continue meanwhile.")),
            Ok(()) => (
                Server::Reached,
                "The ledger's store is reachable again, and the waiting events were stored.".to_owned(),
            ),
            Err(_) => return,
        };
        if std::mem::replace(&mut self.server, server) != server {
            (shared.log)(&text);
        }
    }

    fn drain_own(&mut self, shared: &Shared) -> Result<(), LedgerError> {
        for view in shared.spool.views() {
            let position = self.positions.entry(view.name.clone()).or_default();
            remember(shared, shared.drain.drain(&view, position, |bytes| shared.spool.drained(bytes))?);
            if view.stage == Stage::Ended {
                shared.spool.remove(&view.name)?;
                self.positions.remove(&view.name);
                shared.drain.store.forget_spool(&view.name)?;
            }
        }
        Ok(())
    }

    /// Releases all resources while idle; false if there is work.
    fn rest(&mut self, shared: &Shared) -> bool {
        for view in shared.spool.views() {
            let drained = self.positions.get(&view.name).copied().unwrap_or_default();
            let went = shared.spool.rest(drained).unwrap_or(false);
            if !went || shared.drain.store.forget_spool(&view.name).is_err() {
                return false;
            }
            self.positions.remove(&view.name);
        }
        shared.drain.store.rest();
        shared.signals.is_idle()
    }

    /// Removes the last spool file; later events are left to the next process that opens the ledger.
    fn close(&mut self, shared: &Shared) -> Result<(), LedgerError> {
        self.drain_own(shared)?;
        for view in shared.spool.views() {
            let drained = self.positions.get(&view.name).copied().unwrap_or_default();
            if shared.spool.end(drained)? {
                shared.drain.store.forget_spool(&view.name)?;
            }
        }
        Ok(())
    }
}

fn remember(shared: &Shared, head: Option<Head>) {
    if let Some(head) = head {
        *shared.head.lock() = head;
    }
}
