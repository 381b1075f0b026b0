//! The bytecode cache of packages: read from the store, or compiled in the background for later workers.

use crate::message::{Command, Event};
use crate::packages::{Bytecode, BytecodeState, EngineTag, Package, file_name};
use crate::transport::{self, Isolation, News, Worker, WorkerFiles};
use crossbeam_channel::{Receiver, unbounded};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads::{self, Next, Priority, SleepingThread};

/// Sizes of texts that get bytecode. V8 parses a smaller one in half a millisecond; a larger one takes too much memory for an
/// engine on a thread of the host.
const ELIGIBLE: RangeInclusive<usize> = (16 << 10)..=(4 << 20);
/// Largest bytecode that is stored: several times the size that V8 produces for the largest text.
const MAX_BYTES: usize = 16 << 20;
/// Delay of the compilation, so that it does not compete with the run that requested it.
const PAUSE: Duration = Duration::from_millis(100);
/// Most packages in the queue. Others are requested again by the next worker.
const MAX_WAITING: usize = 32;
/// Memory limit of the compiling engine.
const MEMORY_BYTES: u64 = 256 << 20;
/// Limit of one compilation. The largest text takes a second on a loaded machine.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a shutdown waits for queued compilations: a kernel that serves a single run would never store bytecode otherwise.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(250);
/// How long a killed worker may take to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);

/// A store of bytecode files. Its content is verified, and its failures are ignored.
pub trait BytecodeStore: Debug + Send + Sync {
    fn read(&self, name: &str) -> Option<Vec<u8>>;
    /// Writes atomically, without waiting for the disk.
    fn write(&self, name: &str, content: &[u8]);
}

/// A store that is always empty.
#[cfg(test)]
impl BytecodeStore for () {
    fn read(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
    fn write(&self, _: &str, _: &[u8]) {}
}

pub struct BytecodeCache {
    isolation: Isolation,
    files: WorkerFiles,
    store: Arc<dyn BytecodeStore>,
    jobs: Mutex<Jobs>,
    /// Compiles the queued packages.
    thread: SleepingThread,
}

struct Job {
    package: Arc<Package>,
    engine: EngineTag,
    not_before: Instant,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    worker: Option<Arc<dyn Worker>>,
    closed: bool,
}

impl BytecodeCache {
    pub fn new(isolation: Isolation, files: WorkerFiles, store: Arc<dyn BytecodeStore>) -> Arc<Self> {
        let thread = SleepingThread::new("tgp-bytecode", Priority::Normal);
        Arc::new(Self { isolation, files, store, jobs: Mutex::default(), thread })
    }

    /// The package's bytecode for `engine`. If there is none, it is queued for compilation, and `None` is returned at once.
    pub fn get(self: &Arc<Self>, package: &Arc<Package>, engine: EngineTag) -> Option<Bytecode> {
        if !ELIGIBLE.contains(&package.code().len()) {
            return None;
        }
        let mut state = package.bytecode.lock();
        match &*state {
            Some((of, BytecodeState::Ready(bytecode))) if *of == engine => return Some(bytecode.clone()),
            Some((of, BytecodeState::Pending | BytecodeState::Failed)) if *of == engine => return None,
            Some(_) | None => {}
        }
        let id = package.id();
        let stored = self.store.read(&file_name(id, engine)).and_then(|file| Bytecode::unsealed(&file, id, engine));
        *state = match &stored {
            Some(bytecode) => Some((engine, BytecodeState::Ready(bytecode.clone()))),
            None => self.enqueue(package, engine).then_some((engine, BytecodeState::Pending)),
        };
        stored
    }

    /// Accepts no more jobs, and waits a moment for the queued ones.
    pub fn close(&self) {
        self.jobs.lock().closed = true;
        self.thread.notify();
        if self.thread.wait_for_end(Instant::now() + DRAIN_TIMEOUT) {
            return;
        }
        let worker = {
            let mut jobs = self.jobs.lock();
            jobs.waiting.clear();
            jobs.worker.clone()
        };
        if let Some(worker) = worker {
            worker.kill();
        }
        let _has_ended = self.thread.wait_for_end(Instant::now() + SHUTDOWN_TIMEOUT);
    }

    /// Queues a compilation; false if it is not accepted.
    fn enqueue(self: &Arc<Self>, package: &Arc<Package>, engine: EngineTag) -> bool {
        let mut jobs = self.jobs.lock();
        if jobs.closed || jobs.waiting.len() >= MAX_WAITING {
            return false;
        }
        let cache = Arc::clone(self);
        let not_before = Instant::now() + PAUSE;
        let is_accepted = self.thread.wake_by(not_before, move || cache.compile_next()).is_ok();
        if is_accepted {
            jobs.waiting.push_back(Job { package: Arc::clone(package), engine, not_before });
        }
        is_accepted
    }

    /// Compiles the next package when it is due; while the pool is closing, packages are due at once.
    fn compile_next(&self) -> Next {
        let Job { package, engine, .. } = {
            let mut jobs = self.jobs.lock();
            let is_closed = jobs.closed;
            match jobs.waiting.pop_front_if(|job| is_closed || job.not_before <= Instant::now()) {
                Some(job) => job,
                None => return jobs.waiting.front().map_or(Next::End, |job| Next::At(job.not_before)),
            }
        };
        // A failed compilation is not tried again, and does not affect the others.
        let made = threads::contain(|| self.compile_and_store(&package, engine)).ok().flatten();
        *package.bytecode.lock() = Some((engine, made.map_or(BytecodeState::Failed, BytecodeState::Ready)));
        Next::Again
    }

    fn compile_and_store(&self, package: &Package, engine: EngineTag) -> Option<Bytecode> {
        let made = self.compile(package, engine)?;
        self.store.write(&file_name(package.id(), engine), &made.sealed(package.id(), engine));
        Some(made)
    }

    /// Compiles in a dedicated worker, which runs no guest code before or after.
    fn compile(&self, package: &Package, engine: EngineTag) -> Option<Bytecode> {
        let (sender, news) = unbounded();
        let sink = Arc::new(move |news| {
            // Fails if the receiver timed out and was dropped.
            let _gone = sender.send(news);
        });
        let worker = transport::start(self.isolation, &self.files, MEMORY_BYTES, MAX_BYTES, sink).ok()?;
        self.jobs.lock().worker = Some(Arc::clone(&worker));
        let made = threads::contain(|| request(&*worker, &news, package, engine)).ok().flatten();
        worker.kill();
        self.jobs.lock().worker = None;
        let shutdown_deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        while !matches!(news.recv_deadline(shutdown_deadline), Ok(News::Gone(_)) | Err(_)) {}
        made.filter(|bytecode| bytecode.data().len() <= MAX_BYTES)
    }
}

/// Sends the compile command once the worker is ready. A worker that sends anything else is ignored.
fn request(worker: &dyn Worker, news: &Receiver<News>, package: &Package, engine: EngineTag) -> Option<Bytecode> {
    let deadline = Instant::now() + COMPILE_TIMEOUT;
    // The files of the addon may have been replaced since the kernel was started, so the engine is compared.
    match news.recv_deadline(deadline).ok()? {
        News::Event(Event::Ready { engine: of, .. }) if of == engine => {}
        News::Event(_) | News::Gone(_) => return None,
    }
    worker.send(Command::Compile { code: Arc::clone(package.code()) }).ok()?;
    match news.recv_deadline(deadline).ok()? {
        News::Event(Event::Compiled(bytecode)) => bytecode,
        News::Event(_) | News::Gone(_) => None,
    }
}
