//! The main loop of an engine: one isolate, one run at a time, until the isolate is spent or the commands end.

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
use crate::message::{Command, Coverage, Event, Fitness, RunCommand};
use crate::run_end::RunEnd;
use crossbeam_channel::RecvTimeoutError;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads;

/// Stack of the thread that an engine runs on. V8's guard leaves about one megabyte of it to JavaScript; the rest is for V8
/// itself.
pub const ENGINE_STACK: usize = 8 << 20;
/// How long the engine waits for the next run before it prepares more realms.
const PAUSE: Duration = Duration::from_millis(2);
/// Idle time after which the memory of earlier runs is released. The first run after that takes a little longer.
const QUIET: Duration = Duration::from_secs(5);

/// Serves runs on the calling thread. Returns when the engine is spent or the commands end.
///
/// `memory_bytes` is the usual memory limit: an isolate for it is created ahead of time. `confine` is called once all threads of
/// the engine are started, before any guest code, and returns the confinement of the process.
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
    // Moved after the isolate, so that it is dropped first: the watchdog must not outlive the isolate.
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
        // Functions that an isolate has compiled before have no coverage counters.
        let is_other = command.limits.memory_bytes != isolate.budget().limit();
        if is_other || command.coverage == Coverage::Blocks {
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

/// Waits for a command. Idle time is used to prepare realms, but with one prepared realm the engine waits a moment first, so
/// that a run that follows at once is not delayed.
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
    // A run that exceeded its limit with one object and ended before the next collection is out of memory, too.
    let end = if isolate.close_account() { RunEnd::OutOfMemory } else { end };
    let orderly = had_realm && command.coverage == Coverage::Off && is_orderly(&end, control.cause());
    let fitness = control.end_run(end, || if orderly { fitness(isolate, cache) } else { Fitness::Spent });
    if fitness == Fitness::Reusable {
        cache.fill(&mut isolate.v8);
    }
    cache.forget_run();
    fitness
}

/// Whether the isolate may serve another run.
fn fitness(isolate: &mut GuestIsolate, cache: &mut CodeCache) -> Fitness {
    if !isolate.is_suspicious() {
        return Fitness::Reusable;
    }
    // Storing the bytecode releases functions that keep the run's realm alive.
    cache.fill(&mut isolate.v8);
    match isolate.weigh() {
        Burden::Light => Fitness::Reusable,
        Burden::Heavy => Fitness::Spent,
    }
}

/// Whether the guest ended by itself, so that the isolate is in a consistent state. That includes an allocation that failed
/// without an interruption.
fn is_orderly(end: &RunEnd, cause: Option<Cause>) -> bool {
    match end {
        RunEnd::Value(_) | RunEnd::Thrown(_) | RunEnd::BadResult(_) => true,
        RunEnd::OutOfMemory => cause.is_none(),
        RunEnd::CpuTimeout | RunEnd::PackageTimeout | RunEnd::WallTimeout | RunEnd::Cancelled | RunEnd::Crashed(_) => {
            false
        }
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
    fn a_panic_before_the_isolate_exists_stops_the_watchdog() {
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
        assert_eq!(Arc::strong_count(&control), 1, "the watchdog has ended");
    }
}
