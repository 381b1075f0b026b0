//! An engine on a thread of the host: the quickest home, for code that the operator trusts not to attack V8 itself.

use super::{News, NewsSink, Worker, WorkerFiles, WorkerGone};
use crate::sandbox::confinement::Confinement;
use crate::sandbox::engine::{ENGINE_STACK, EngineControl, Inbox, StuckPolicy, load_snapshot, run_engine};
use crate::sandbox::message::Command;
use crate::sandbox::sandbox_error::SandboxError;
use crate::threads;
use crossbeam_channel::{Sender, unbounded};
use parking_lot::Mutex;
use std::sync::Arc;

struct ThreadWorker {
    control: Arc<EngineControl>,
    commands: Mutex<Option<Sender<Command>>>,
}

pub fn start(files: &WorkerFiles, memory_bytes: u64, news: NewsSink) -> Result<Arc<dyn Worker>, SandboxError> {
    let events = Arc::clone(&news);
    let control = EngineControl::new(Arc::new(move |event| events(News::Event(event))), StuckPolicy::Abandon);
    let (sender, receiver) = unbounded();
    let inbox: Arc<dyn Inbox> = Arc::new(receiver);
    let engine = Arc::clone(&control);
    let snapshot = files.snapshot.clone();
    threads::spawn_with_stack("tgp-engine", ENGINE_STACK, move || {
        let _panicked = threads::contain(|| {
            if let Ok(snapshot) = load_snapshot(&snapshot) {
                run_engine(&inbox, &engine, &snapshot, memory_bytes, || Confinement::NONE);
            }
        });
        news(News::Gone);
    })
    .map_err(|error| SandboxError::CannotStart { reason: error.kind().to_string() })?;
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
    use crate::ids::RunId;
    use crate::sandbox::message::Command;
    use crate::sandbox::transport::{News, NewsSink, WorkerFiles};
    use crossbeam_channel::unbounded;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::thread::sleep;
    use std::time::{Duration, Instant};

    #[test]
    fn an_engine_that_panics_reports_its_end_and_leaves_no_thread_behind() {
        let (sender, ends) = unbounded();
        let news: NewsSink = Arc::new(move |news| match news {
            News::Event(_) => resume_unwind(Box::new("no")),
            News::Gone => sender.send(()).unwrap(),
        });
        let files = WorkerFiles { executable: "none".into(), library: "none".into(), snapshot: "none".into() };
        let worker = start(&files, 64 << 20, news).unwrap();
        ends.recv_timeout(Duration::from_secs(20)).unwrap();
        let patience = Instant::now() + Duration::from_secs(5);
        while worker.send(Command::Cancel { run: RunId(1) }).is_ok() {
            assert!(Instant::now() < patience, "the watchdog still waits for commands");
            sleep(Duration::from_millis(5));
        }
    }
}
