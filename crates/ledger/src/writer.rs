//! The writer: the one thread of this process that puts events into the store.

use super::checkpoints::Checkpoints;
use super::drain::Drain;
use super::event::Head;
use super::ledger_error::LedgerError;
use super::log::Log;
use super::retention::Retention;
use super::signals::{After, Signals, Wake, Want, Why};
use super::spool::Spool;
use super::spool_view::Stage;
use super::store::Reach;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::{Duration, Instant};

/// How often the spools of processes that have ended are looked for.
const ORPHANS: Duration = Duration::from_secs(10);
/// The same while somebody waits to know what was recorded.
const ORPHANS_ASKED: Duration = Duration::from_millis(100);

/// How long there is nothing to do before the thread ends, until there is.
const REST: Duration = Duration::from_secs(2);

/// Waits after failures, from the first on.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// What the writer and the ledger's face share.
pub struct Shared {
    pub spool: Spool,
    pub signals: Signals,
    pub drain: Drain,
    pub checkpoints: Checkpoints,
    pub retention: Retention,
    /// The head when the writer last knew it.
    pub head: Mutex<Head>,
    pub log: Log,
}

/// What only the writer knows.
struct Turns {
    positions: HashMap<String, u64>,
    orphans: Option<Instant>,
    pause: Duration,
    after: After,
    server: Server,
}

/// Whether a store on another machine was reached when it was last spoken to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Server {
    Reached,
    Away,
}

/// Why the writer's thread is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    Closed,
    Resting,
}

/// Drains until somebody wants the ledger closed, or nobody anything.
pub fn run(shared: &Shared) {
    let ended = Ended(&shared.signals);
    if work(shared) == Over::Resting {
        // Whoever comes next starts another thread.
        std::mem::forget(ended);
    }
}

fn work(shared: &Shared) -> Over {
    let mut turns = Turns {
        positions: HashMap::new(),
        orphans: None,
        pause: FIRST_PAUSE,
        after: After::Success,
        server: Server::Reached,
    };
    loop {
        let idle = match turns.after {
            After::Success => REST,
            After::Failure => turns.pause,
        };
        let wake = shared.signals.wait(idle, turns.after);
        if wake.why == Why::Idle && turns.may_rest() && turns.rest(shared) {
            return Over::Resting;
        }
        let before = *shared.head.lock();
        let outcome = turns.turn(shared, wake);
        // A turn that had nothing to store has asked nothing.
        let is_answered = wake.want != Want::Drain || *shared.head.lock() != before;
        if outcome.is_err() || is_answered {
            turns.note_server(shared, &outcome);
        }
        (turns.after, turns.pause) = match &outcome {
            Ok(()) => (After::Success, FIRST_PAUSE),
            Err(_) => (After::Failure, (turns.pause * 2).min(LONGEST_PAUSE)),
        };
        shared.signals.answer(wake, outcome);
        if wake.want == Want::Close {
            return Over::Closed;
        }
    }
}

/// Lets those go who wait for a writer that is gone.
struct Ended<'a>(&'a Signals);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl Turns {
    fn turn(&mut self, shared: &Shared, wake: Wake) -> Result<(), LedgerError> {
        let retried = match wake.want {
            Want::Drain | Want::Checkpoint => shared.spool.retry(),
            Want::Close => shared.spool.write_all(),
        };
        self.drain_own(shared)?;
        // What did not fit may fit now.
        let retried = retried.or_else(|_| shared.spool.retry().and_then(|()| self.drain_own(shared)));
        let pause = match wake.why {
            Why::Asked => ORPHANS_ASKED,
            Why::Work | Why::Idle => ORPHANS,
        };
        if self.orphans.is_none_or(|last| last.elapsed() >= pause) {
            let head = shared.drain.drain_orphans(shared.spool.process())?;
            remember(shared, head);
            self.orphans = Some(Instant::now());
        }
        let head = *shared.head.lock();
        if shared.drain.store.reach() == Reach::ManyMachines && head.size > 0 {
            // Commits vouch for the head with it, and do not look for it themselves.
            let _later = shared.checkpoints.key();
        }
        let signed = match wake.want {
            // What cannot be signed or dropped now is tried again later; the events are in the store all the same.
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

    /// Whether its thread may end: not before the log has it that the server is back.
    fn may_rest(&self) -> bool {
        self.after == After::Success && self.server == Server::Reached
    }

    /// Logs once that the server is away, and once that it is back.
    fn note_server(&mut self, shared: &Shared, outcome: &Result<(), LedgerError>) {
        let (server, text) = match outcome {
            Err(error @ LedgerError::Unreachable(_)) => (Server::Away, format!("{error} Calls go on meanwhile.")),
            Ok(()) => {
                (Server::Reached, "The ledger's store is reached again, and has the events that waited.".to_owned())
            }
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

    /// Lets go of everything while nobody records; false when somebody does.
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
        shared.signals.rest()
    }

    /// Takes the last file away; what came meanwhile stays for whoever opens the ledger next.
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
