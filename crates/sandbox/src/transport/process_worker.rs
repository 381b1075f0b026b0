//! An engine in a `tgp-sandbox` process, isolated from the host.

use super::outbox::Outbox;
use super::{News, NewsSink, Worker, WorkerFiles, WorkerGone};
use crate::crash_cause::CrashCause;
use crate::engine::raise_data_limit;
use crate::frame::{FrameReader, encode};
use crate::message::Command;
use crate::run_end::FRAME_SLACK;
use crate::sandbox_error::SandboxError;
use parking_lot::Mutex;
use std::io::{Error, ErrorKind};
use std::process::{Child, ChildStdout, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread::sleep;
use std::time::Duration;
use tgp_base::threads;

/// The largest pipe that an unprivileged process may have.
#[cfg(target_os = "linux")]
const PIPE_BYTES: usize = 1 << 20;

/// Stack of the listener thread: it only decodes messages and passes them on.
const LISTENER_STACK: usize = 512 << 10;
/// How often, and after which pauses, a process that closed a pipe is checked for its end: it closes them shortly before.
const END_CHECKS: u32 = 100;
const END_CHECK_PAUSE: Duration = Duration::from_millis(1);

struct ProcessWorker {
    child: Mutex<Child>,
    input: Arc<Outbox>,
    /// The memory limit that the process's data limit allows.
    room: AtomicU64,
    /// Why the host killed the process; `None` if it had ended by itself.
    killed_for: OnceLock<Option<CrashCause>>,
}

/// Spawns the process and a thread that reads its messages and reaps it.
#[expect(clippy::disallowed_methods, reason = "the worker's own program")]
pub fn start(
    files: &WorkerFiles,
    memory_bytes: u64,
    longest_text: usize,
    news: NewsSink,
) -> Result<Arc<dyn Worker>, SandboxError> {
    let mut command = std::process::Command::new(&files.executable);
    command.arg(&files.library).arg("--serve").arg(&files.snapshot).arg(&files.locales).arg(memory_bytes.to_string());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    // The host's environment is hidden from guests, and the worker does not keep a directory busy.
    command.env_clear();
    #[cfg(unix)]
    {
        command.current_dir("/");
        // A terminal sends Ctrl-C to the whole process group. The application cancels its runs itself; a worker killed by
        // the signal would be reported as a crash.
        std::os::unix::process::CommandExt::process_group(&mut command, 0);
    }
    #[cfg(windows)]
    command.envs(std::env::var_os("SystemRoot").map(|root| ("SystemRoot", root)));
    let mut child = command.spawn().map_err(|error| SandboxError::cannot_start(&error))?;
    let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(SandboxError::cannot_start(&ErrorKind::BrokenPipe.into()));
    };
    widen(&input);
    widen(&output);
    let worker = Arc::new(ProcessWorker {
        child: Mutex::new(child),
        input: Outbox::new(input),
        room: AtomicU64::new(memory_bytes),
        killed_for: OnceLock::new(),
    });
    let listener = Arc::clone(&worker);
    let spawned = threads::spawn_with_stack("tgp-worker-io", LISTENER_STACK, move || {
        listener.listen(FrameReader::new(output, longest_text.saturating_add(FRAME_SLACK)), &news);
    });
    match spawned {
        Ok(_) => Ok(worker),
        Err(error) => {
            worker.kill();
            worker.reap();
            Err(SandboxError::cannot_start(&error))
        }
    }
}

/// Enlarges a pipe, so that the writer of a large message does not have to wait for the reader. If this fails, the pipe works
/// with its default size.
#[cfg(target_os = "linux")]
fn widen(pipe: &impl std::os::fd::AsFd) {
    let _as_it_is = rustix::pipe::fcntl_setpipe_size(pipe, PIPE_BYTES);
}

#[cfg(not(target_os = "linux"))]
fn widen<P>(_pipe: &P) {}

impl ProcessWorker {
    fn listen(&self, mut output: FrameReader<ChildStdout>, news: &NewsSink) {
        // The loop ends when the stream has ended or is invalid, or handling a message has panicked; then the process is killed.
        let read = threads::contain(|| -> Error {
            loop {
                match output.read() {
                    Ok(Some(event)) => news(News::Event(event)),
                    Ok(None) => return ErrorKind::BrokenPipe.into(),
                    Err(error) => return error,
                }
            }
        });
        match read {
            Ok(error) => self.kill_after(error.kind()),
            Err(_) => self.kill(),
        }
        news(News::Gone(self.reap()));
    }

    /// Kills the process after `error` on one of its pipes, and records the cause, unless it ends by itself.
    fn kill_after(&self, error: ErrorKind) {
        let mut child = self.child.lock();
        let is_invalid = matches!(error, ErrorKind::Other | ErrorKind::InvalidData);
        let is_closed = matches!(error, ErrorKind::BrokenPipe | ErrorKind::UnexpectedEof);
        self.killed_for.get_or_init(|| {
            if is_invalid {
                Some(CrashCause::InvalidMessage)
            } else if is_closed && has_ended(&mut child) {
                None
            } else {
                Some(CrashCause::BrokenPipe)
            }
        });
        let _ended = child.kill();
    }

    /// Waits for the end of the process.
    fn reap(&self) -> CrashCause {
        // The child is dead or dying, so this is short; it cannot fail, because no other code waits for this child.
        let status = self.child.lock().wait();
        let killed_for = self.killed_for.get().copied().flatten();
        killed_for.or_else(|| status.ok().map(CrashCause::of)).unwrap_or(CrashCause::Host)
    }
}

impl Worker for ProcessWorker {
    fn send(&self, command: Command) -> Result<(), WorkerGone> {
        if let Command::Run(run) = &command {
            let wanted = run.limits.memory_bytes;
            if self.room.fetch_max(wanted, Ordering::Relaxed) < wanted {
                raise_data_limit(self.child.lock().id(), wanted);
            }
        }
        // If the message is lost, the worker cannot continue.
        let Ok(frame) = encode(&command, command.text_bytes()) else {
            self.kill();
            return Err(WorkerGone);
        };
        self.input.send(frame).map_err(|error| {
            self.kill_after(error.kind());
            WorkerGone
        })
    }

    fn kill(&self) {
        self.killed_for.get_or_init(|| Some(CrashCause::Host));
        // An error means that the child has ended already.
        let _ended = self.child.lock().kill();
    }
}

/// Whether a process that closed a pipe ends by itself.
fn has_ended(child: &mut Child) -> bool {
    (0..END_CHECKS).any(|_| {
        let has_ended = matches!(child.try_wait(), Ok(Some(_)));
        if !has_ended {
            sleep(END_CHECK_PAUSE);
        }
        has_ended
    })
}
