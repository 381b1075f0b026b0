//! An engine on a thread of the host: the fastest transport, for code that is trusted not to attack V8 itself.

use super::{News, NewsSink, Worker, WorkerFiles, WorkerGone};
use crate::confinement::Confinement;
use crate::crash_cause::CrashCause;
use crate::engine::{ENGINE_STACK, EngineControl, Inbox, StuckPolicy, load_locales, load_snapshot, run_engine};
use crate::message::Command;
use crate::sandbox_error::SandboxError;
use crossbeam_channel::{Sender, unbounded};
use parking_lot::Mutex;
use std::sync::Arc;
use tgp_base::threads;

struct ThreadWorker {
    control: Arc<EngineControl>,
    commands: Mutex<Option<Sender<Command>>>,
}

pub fn start(files: &WorkerFiles, memory_bytes: u64, news: NewsSink) -> Result<Arc<dyn Worker>, SandboxError> {
    load_locales(&files.locales).map_err(|error| SandboxError::cannot_start(&error))?;
    let events = Arc::clone(&news);
    let control = EngineControl::new(Arc::new(move |event| events(News::Event(event))), StuckPolicy::Abandon);
    let (sender, receiver) = unbounded();
    let inbox: Arc<dyn Inbox> = Arc::new(receiver);
    let engine = Arc::clone(&control);
    let snapshot = files.snapshot.clone();
    threads::spawn_with_stack("tgp-engine", ENGINE_STACK, move || {
        let ended = threads::contain(|| {
            if let Ok(snapshot) = load_snapshot(&snapshot) {
                run_engine(&inbox, &engine, &snapshot, memory_bytes, || Confinement::NONE);
            }
        });
        news(News::Gone(ended.map_or(CrashCause::Engine, |()| CrashCause::Host)));
    })
    .map_err(|error| SandboxError::cannot_start(&error))?;
    Ok(Arc::new(ThreadWorker { control, commands: Mutex::new(Some(sender)) }))
}

impl Worker for ThreadWorker {
    fn send(&self, command: Command) -> Result<(), WorkerGone> {
        if let Command::Cancel { run } = command {
            self.control.cancel(run);
        }
        let commands = self.commands.lock();
        commands.as_ref().ok_or(WorkerGone)?.send(command).map_err(|_| WorkerGone)
    }

    fn kill(&self) {
        *self.commands.lock() = None;
        self.control.stop();
    }
}

#[cfg(test)]
mod tests {
    use super::start;
    use crate::limits::RunLimits;
    use crate::message::{Command, Event, RunCommand};
    use crate::module::{Code, Module, ModuleKind};
    use crate::run_end::RunEnd;
    use crate::transport::{News, NewsSink, WorkerFiles};
    use crossbeam_channel::unbounded;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::thread::sleep;
    use std::time::{Duration, Instant};
    use tgp_base::ids::RunId;

    /// A command to run `code`, with a generous time limit.
    fn run_of(run: RunId, code: &str) -> Command {
        let path = "tools/t.ts".to_owned();
        let module = Module {
            path: path.clone(),
            kind: ModuleKind::Script,
            code: Code::Text(code.into()),
            original: None,
            links: Vec::new(),
        };
        let limits = RunLimits {
            memory_bytes: 64 << 20,
            cpu: Duration::from_secs(20),
            package_load: Duration::from_secs(20),
            wall: Duration::from_secs(20),
            result_bytes: 1 << 20,
            log_bytes: 1 << 10,
            host_calls: 4,
            call_bytes: 1 << 20,
        };
        Command::Run(Box::new(RunCommand {
            run,
            entry: path,
            modules: Arc::new(vec![module]),
            packages: Vec::new(),
            args_json: "{}".into(),
            limits,
            api: Arc::default(),
            seed: None,
            now: None,
            coverage: Default::default(),
        }))
    }

    #[test]
    fn a_run_cancelled_during_a_source_call_makes_no_more_calls() {
        let (sender, events) = unbounded();
        let news: NewsSink = Arc::new(move |news| {
            // The receiver may have been dropped when the engine reports its end.
            let _unheard = sender.send(news);
        });
        let files = WorkerFiles {
            executable: "none".into(),
            library: "none".into(),
            snapshot: "none".into(),
            locales: "none".into(),
        };
        let worker = start(&files, 64 << 20, news).unwrap();
        let run = RunId(1);
        worker.send(run_of(run, "return new Error('no').stack")).unwrap();
        let mut looks = 0;
        let end = loop {
            match events.recv_timeout(Duration::from_secs(120)).unwrap() {
                News::Event(Event::HostCall { .. }) => {
                    looks += 1;
                    worker.send(Command::Cancel { run }).unwrap();
                }
                News::Event(Event::Done { end, .. }) => break end,
                News::Event(_) => {}
                News::Gone(_) => panic!("the engine reported no end"),
            }
        };
        assert!(matches!(end, RunEnd::Cancelled), "{end:?}");
        assert_eq!(looks, 1);
        worker.kill();
    }

    #[test]
    fn an_engine_that_panics_reports_its_end_and_stops_its_threads() {
        let (sender, ends) = unbounded();
        let news: NewsSink = Arc::new(move |news| match news {
            News::Event(_) => resume_unwind(Box::new("no")),
            News::Gone(_) => sender.send(()).unwrap(),
        });
        let files = WorkerFiles {
            executable: "none".into(),
            library: "none".into(),
            snapshot: "none".into(),
            locales: "none".into(),
        };
        let worker = start(&files, 64 << 20, news).unwrap();
        ends.recv_timeout(Duration::from_secs(120)).unwrap();
        let deadline = Instant::now() + Duration::from_secs(60);
        while worker.send(Command::Cancel { run: RunId(1) }).is_ok() {
            assert!(Instant::now() < deadline, "the watchdog still waits for commands");
            sleep(Duration::from_millis(5));
        }
    }
}
