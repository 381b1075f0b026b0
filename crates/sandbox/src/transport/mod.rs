//! The two homes of an engine: a worker process, and a thread of the host.

mod outbox;
mod process_worker;
mod thread_worker;

use super::message::{Command, Event};
use super::sandbox_error::SandboxError;
use std::path::PathBuf;
use std::sync::Arc;

/// What a worker's owner hears. `Gone` is the last of it, and always comes.
pub enum News {
    Event(Event),
    Gone,
}

/// Where a worker's news go. Called from the worker's own thread.
pub type NewsSink = Arc<dyn Fn(News) + Send + Sync>;

/// One engine somewhere.
pub trait Worker: Send + Sync {
    /// Fails when the worker is gone.
    fn send(&self, command: Command) -> Result<(), WorkerGone>;

    /// Ends the worker, whatever it does. In a process that is final; a thread is asked, and left alone if it is deaf.
    fn kill(&self);
}

/// The worker has ended.
#[derive(Debug, Clone, Copy)]
pub struct WorkerGone;

/// The files that make a worker: the executable, the library it loads, with the snapshot and the locale data beside
/// them.
#[derive(Debug, Clone)]
pub struct WorkerFiles {
    pub executable: PathBuf,
    pub library: PathBuf,
    pub snapshot: PathBuf,
    pub locales: PathBuf,
}

/// Where engines live.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Isolation {
    Process,
    Thread,
}

/// Starts a worker in the home of choice. A process that sends more than `longest_text` in one message is ended.
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
