//! The engine's thread: one isolate, one run at a time, until it is spent or nobody talks to it any more.

use super::event_loop;
use crate::confinement::Confinement;
use crate::engine::control::Inbox;
use crate::engine::control::ThreadClock;
#[cfg(target_os = "linux")]
use crate::engine::control::abort_signal;
use crate::engine::control::watchdog;
use crate::engine::control::{Cause, EngineControl};
use crate::engine::isolate::Snapshot;
use crate::engine::isolate::{GuestIsolate, Readiness, note_stack};
use crate::engine::isolate::{bytecode_of, engine_tag};
use crate::engine::memory::Burden;
use crate::engine::run::CodeCache;
use crate::message::{Command, Counting, Event, Fitness, RunCommand};
use crate::run_end::RunEnd;
use crossbeam_channel::RecvTimeoutError;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads;

/// Stack of the thread that an engine runs on. V8's guard leaves about one megabyte of it to JavaScript; the rest is for V8
/// itself.
pub const ENGINE_STACK: usize = 8 << 20;
/// How long the next run may take to come before the pause is used for something else.
const PAUSE: Duration = Duration::from_millis(2);
/// How long nothing runs before the memory of earlier runs is given back. The first run after that takes a little longer.
const QUIET: Duration = Duration::from_secs(5);

/// Serves runs on the calling thread. Returns when the engine is spent or the commands end.
///
/// `memory_bytes` is what most runs will ask for: an isolate for it is made ahead of time. `confine` is called when all
/// threads of the engine are there, before it has anything to do with a guest, and tells what holds the process.
pub fn run_engine(
    inbox: &Arc<dyn Inbox>,
    control: &Arc<EngineControl>,
    snapshot: &Snapshot,
    memory_bytes: u64,
    confine: impl FnOnce() -> Confinement,
) {
    let clock = ThreadClock::of_current_thread();
    let (watched, looked_at) = (Arc::clone(control), Arc::clone(inbox));
    let watchdog = threads::spawn("tgp-watchdog", move || watchdog::watch(&watched, &*looked_at));
    if watchdog.is_err() {
        return;
    }
    // From here on the watchdog ends with this function, also after a panic.
    let closing = CloseOnDrop(control);
    let confinement = confine();
    let mut isolate = GuestIsolate::new(snapshot.blob.clone(), memory_bytes, control);
    // Moved behind the isolate, so that it is dropped before it: the watchdog must not outlive what it watches.
    let _closing = closing;
    control.attach(isolate.v8.thread_safe_handle(), note_stack, clock);
    isolate.prepare();
    let confinement = Confinement { engine: isolate.report(), ..confinement };
    let mut cache = CodeCache::default();
    control.emit(Event::Ready { confinement, engine: engine_tag(snapshot) });
    while let Some(command) = next(&**inbox, &mut isolate) {
        let command = match command {
            Command::Run(command) => command,
            Command::Keep(parcel) => {
                cache.shelve(parcel);
                continue;
            }
            Command::Forget(id) => {
                cache.unshelve(id);
                continue;
            }
            Command::Compile { code } => {
                control.emit(Event::Compiled(bytecode_of(&mut isolate, &code)));
                break;
            }
            Command::HostReply { .. } | Command::Cancel { .. } => continue,
        };
        // An isolate remembers functions that it has compiled, and those have no counters.
        let is_other = command.limits.memory_bytes != isolate.budget().limit();
        if is_other || command.counting == Counting::Blocks {
            drop(isolate);
            isolate = GuestIsolate::new(snapshot.blob.clone(), command.limits.memory_bytes, control);
            control.attach(isolate.v8.thread_safe_handle(), note_stack, clock);
        }
        if serve(&mut isolate, &command, control, inbox, &mut cache) == Fitness::Spent {
            break;
        }
    }
}

struct CloseOnDrop<'a>(&'a EngineControl);

impl Drop for CloseOnDrop<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Waits for a command. What time there is until it comes is used to prepare for it, but with a realm in hand a moment is
/// waited first: a run that follows at once must not wait for the realm of the one after it.
fn next(inbox: &dyn Inbox, isolate: &mut GuestIsolate) -> Option<Command> {
    loop {
        match isolate.readiness() {
            Readiness::Bare => {
                isolate.prepare();
                if isolate.readiness() == Readiness::Bare {
                    return inbox.recv();
                }
            }
            Readiness::Full if !isolate.has_garbage() => return inbox.recv(),
            Readiness::Full => match inbox.recv_deadline(Instant::now() + QUIET) {
                Ok(command) => return Some(command),
                Err(RecvTimeoutError::Timeout) => isolate.collect(),
                Err(RecvTimeoutError::Disconnected) => return None,
            },
            Readiness::Some => match inbox.recv_deadline(Instant::now() + PAUSE) {
                Ok(command) => return Some(command),
                Err(RecvTimeoutError::Timeout) => isolate.prepare(),
                Err(RecvTimeoutError::Disconnected) => return None,
            },
        }
    }
}

fn serve(
    isolate: &mut GuestIsolate,
    command: &RunCommand,
    control: &Arc<EngineControl>,
    inbox: &Arc<dyn Inbox>,
    cache: &mut CodeCache,
) -> Fitness {
    let realm = isolate.take_realm();
    isolate.open_account();
    control.begin(command.run, command.limits, Arc::clone(isolate.budget()));
    #[cfg(target_os = "linux")]
    abort_signal::clear_errno();
    let had_realm = realm.is_some();
    let end = match realm {
        Some(realm) => event_loop::run(isolate, &realm, command, control, inbox, cache),
        None => RunEnd::OutOfMemory,
    };
    // A run that passed its limit with one object, and was over before the next collection, ran out of memory as well.
    let end = if isolate.close_account() { RunEnd::OutOfMemory } else { end };
    let orderly = had_realm && command.counting == Counting::Off && is_orderly(&end, control.cause());
    let fitness = control.settle(end, || if orderly { fitness(isolate, cache) } else { Fitness::Spent });
    if fitness == Fitness::Reusable {
        cache.fill(&mut isolate.v8);
    }
    cache.forget_run();
    fitness
}

/// Whether the isolate is as good for the next run as it was for the first.
fn fitness(isolate: &mut GuestIsolate, cache: &mut CodeCache) -> Fitness {
    if !isolate.is_suspicious() {
        return Fitness::Reusable;
    }
    // These functions keep the run's realm, with all that is in it.
    cache.fill(&mut isolate.v8);
    match isolate.weigh() {
        Burden::Light => Fitness::Reusable,
        Burden::Heavy => Fitness::Spent,
    }
}

/// Whether the guest came to its end by itself, so that nothing of it is left half-way in the isolate. That is so as well
/// when it was refused memory and did not go on.
fn is_orderly(end: &RunEnd, cause: Option<Cause>) -> bool {
    match end {
        RunEnd::Value(_) | RunEnd::Thrown(_) | RunEnd::BadResult(_) => true,
        RunEnd::OutOfMemory => cause.is_none(),
        RunEnd::CpuTimeout | RunEnd::WallTimeout | RunEnd::Cancelled | RunEnd::Crashed(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::run_engine;
    use crate::engine::control::{EngineControl, Inbox, StuckPolicy};
    use crate::engine::isolate::Snapshot;
    use crate::message::Command;
    use crossbeam_channel::unbounded;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::thread;
    use std::time::{Duration, Instant};
    use tgp_base::threads::{Panicked, contain};

    #[test]
    fn an_engine_that_panics_before_it_has_an_isolate_leaves_no_watchdog_behind() {
        let control = EngineControl::new(Arc::new(|_| {}), StuckPolicy::Abandon);
        let (_commands, receiver) = unbounded::<Command>();
        let inbox: Arc<dyn Inbox> = Arc::new(receiver);
        let snapshot = Snapshot { blob: Vec::new().into(), seal: 0 };
        let run = || run_engine(&inbox, &control, &snapshot, 64 << 20, || resume_unwind(Box::new("no")));
        assert_eq!(contain(run), Err(Panicked));
        let deadline = Instant::now() + Duration::from_secs(20);
        while Arc::strong_count(&control) > 1 && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(Arc::strong_count(&control), 1, "the watchdog holds it no more");
    }
}
