//! Transports to an engine: a worker process, or a thread of the host.

mod outbox;
mod process_worker;
mod thread_worker;

use super::crash_cause::CrashCause;
use super::message::{Command, Event};
use super::sandbox_error::SandboxError;
use std::path::PathBuf;
use std::sync::Arc;

/// An event of a worker. `Gone` is always sent, as the last one.
pub enum News {
    Event(Event),
    Gone(CrashCause),
}

/// Receiver of a worker's events. Called from the worker's own thread.
pub type NewsSink = Arc<dyn Fn(News) + Send + Sync>;

/// Handle of an engine.
pub trait Worker: Send + Sync {
    /// Fails if the worker has ended.
    fn send(&self, command: Command) -> Result<(), WorkerGone>;

    /// Ends the worker. A process is killed; a thread is interrupted, and abandoned if it does not react.
    fn kill(&self);
}

/// The worker has ended.
#[derive(Debug, Clone, Copy)]
pub struct WorkerGone;

/// The files of a worker: the executable, the library that it loads, the snapshot and the locale data.
#[derive(Debug, Clone)]
pub struct WorkerFiles {
    pub executable: PathBuf,
    pub library: PathBuf,
    pub snapshot: PathBuf,
    pub locales: PathBuf,
}

/// Where engines run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    Process,
    Thread,
}

/// Starts a worker. A process that sends more than `longest_text` in one message is killed.
pub fn start(
    isolation: Isolation,
    files: &WorkerFiles,
    memory_bytes: u64,
    longest_text: usize,
    news: NewsSink,
) -> Result<Arc<dyn Worker>, SandboxError> {
    match isolation {
        Isolation::Process => process_worker::start(files, memory_bytes, longest_text, news),
        Isolation::Thread => thread_worker::start(files, memory_bytes, news),
    }
}
