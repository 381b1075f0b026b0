//! Bytecode of packages: found among what earlier kernels kept, or made in the background for the workers to come.

use crate::message::{Command, Event};
use crate::packages::{Bytecode, EngineTag, Known, Package, file_name};
use crate::transport::{self, Isolation, News, Worker, WorkerFiles};
use crossbeam_channel::{Receiver, unbounded};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::fmt::Debug;
use std::ops::RangeInclusive;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads;

/// Texts that are worth it. V8 reads a smaller one in half a millisecond; what a larger one takes of V8's memory is not
/// worth the risk on a thread of the host.
const WORTHWHILE: RangeInclusive<usize> = (16 << 10)..=(4 << 20);
/// Largest bytecode that is kept: several times what V8 makes of the largest text.
const MAX_BYTES: usize = 16 << 20;
/// How long it waits, so that the run which asked first has the machine to itself.
const PAUSE: Duration = Duration::from_millis(100);
/// Packages that may wait for theirs. What finds no place is asked for again by the next worker.
const MAX_WAITING: usize = 32;
/// Memory of the engine that makes it.
const MEMORY_BYTES: u64 = 256 << 20;
/// The largest text takes a loaded machine a second.
const HELPER_TIME_LIMIT: Duration = Duration::from_secs(15);
/// What a shutdown waits for those that are still to be made: a kernel that lives for one run would leave none otherwise.
const GRACE: Duration = Duration::from_millis(250);
/// How long a worker that was told to end may take to be gone.
const FAREWELL: Duration = Duration::from_secs(2);

/// Where bytecode is kept. Nothing that comes out of it is trusted, and whatever goes wrong in it is no error.
pub trait BytecodeStore: Debug + Send + Sync {
    fn read(&self, name: &str) -> Option<Vec<u8>>;
    /// All or nothing, and without waiting for the disk.
    fn write(&self, name: &str, content: &[u8]);
}

/// Keeps nothing.
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
    changed: Condvar,
}

struct Job {
    package: Arc<Package>,
    engine: EngineTag,
    not_before: Instant,
}

#[derive(Default)]
struct Jobs {
    waiting: VecDeque<Job>,
    /// One thread does them, one after the other, and ends when none waits.
    at_work: bool,
    worker: Option<Arc<dyn Worker>>,
    closed: bool,
}

impl BytecodeCache {
    pub fn new(isolation: Isolation, files: WorkerFiles, store: Arc<dyn BytecodeStore>) -> Arc<Self> {
        Arc::new(Self { isolation, files, store, jobs: Mutex::default(), changed: Condvar::new() })
    }

    /// The package's bytecode for `engine`. If there is none yet, none is waited for.
    pub fn get(self: &Arc<Self>, package: &Arc<Package>, engine: EngineTag) -> Option<Bytecode> {
        if !WORTHWHILE.contains(&package.code().len()) {
            return None;
        }
        let mut known = package.bytecode.lock();
        match &*known {
            Some((of, Known::Made(bytecode))) if *of == engine => return Some(bytecode.clone()),
            Some((of, Known::BeingMade | Known::CannotBeMade)) if *of == engine => return None,
            Some(_) | None => {}
        }
        let id = package.id();
        let kept = self.store.read(&file_name(id, engine)).and_then(|file| Bytecode::unsealed(&file, id, engine));
        *known = match &kept {
            Some(bytecode) => Some((engine, Known::Made(bytecode.clone()))),
            None => self.order(package, engine).then_some((engine, Known::BeingMade)),
        };
        kept
    }

    /// Takes no more orders, and waits a moment for those that were taken.
    pub fn close(&self) {
        let mut jobs = self.jobs.lock();
        jobs.closed = true;
        self.changed.notify_all();
        let grace = Instant::now() + GRACE;
        while jobs.at_work && !self.changed.wait_until(&mut jobs, grace).timed_out() {}
        jobs.waiting.clear();
        if let Some(worker) = &jobs.worker {
            worker.kill();
        }
        let farewell = Instant::now() + FAREWELL;
        while jobs.at_work && !self.changed.wait_until(&mut jobs, farewell).timed_out() {}
    }

    /// Whether it will be made.
    fn order(self: &Arc<Self>, package: &Arc<Package>, engine: EngineTag) -> bool {
        let mut jobs = self.jobs.lock();
        if jobs.closed || jobs.waiting.len() >= MAX_WAITING {
            return false;
        }
        if !jobs.at_work {
            let cache = Arc::clone(self);
            let thread = threads::spawn("tgp-bytecode", move || cache.work());
            jobs.at_work = thread.is_ok();
        }
        if jobs.at_work {
            let not_before = Instant::now() + PAUSE;
            jobs.waiting.push_back(Job { package: Arc::clone(package), engine, not_before });
        }
        jobs.at_work
    }

    fn work(&self) {
        while let Some(Job { package, engine, .. }) = self.next() {
            // What cannot be made, for whatever reason, is not tried again, and the others are made all the same.
            let made = threads::contain(|| self.make_and_keep(&package, engine)).ok().flatten();
            *package.bytecode.lock() = Some((engine, made.map_or(Known::CannotBeMade, Known::Made)));
        }
    }

    fn make_and_keep(&self, package: &Package, engine: EngineTag) -> Option<Bytecode> {
        let made = self.make(package, engine)?;
        self.store.write(&file_name(package.id(), engine), &made.sealed(package.id(), engine));
        Some(made)
    }

    /// Waits for the next job's time, unless the pool is closing: then there is no run to make way for.
    fn next(&self) -> Option<Job> {
        let mut jobs = self.jobs.lock();
        while let Some(not_before) = jobs.waiting.front().map(|job| job.not_before)
            && !jobs.closed
            && Instant::now() < not_before
        {
            self.changed.wait_until(&mut jobs, not_before);
        }
        let next = jobs.waiting.pop_front();
        jobs.at_work = next.is_some();
        self.changed.notify_all();
        next
    }

    /// Has a worker of its own make it: one that has never run anything and never will.
    fn make(&self, package: &Package, engine: EngineTag) -> Option<Bytecode> {
        let (sender, news) = unbounded();
        let sink = Arc::new(move |news| {
            // Whoever asked may have lost patience.
            let _gone = sender.send(news);
        });
        let worker = transport::start(self.isolation, &self.files, MEMORY_BYTES, MAX_BYTES, sink).ok()?;
        self.jobs.lock().worker = Some(Arc::clone(&worker));
        let made = threads::contain(|| ask(&*worker, &news, package, engine)).ok().flatten();
        worker.kill();
        self.jobs.lock().worker = None;
        let farewell = Instant::now() + FAREWELL;
        while !matches!(news.recv_deadline(farewell), Ok(News::Gone) | Err(_)) {}
        made.filter(|bytecode| bytecode.data().len() <= MAX_BYTES)
    }
}

/// Asks a worker once it is ready. One that says anything else is not believed.
fn ask(worker: &dyn Worker, news: &Receiver<News>, package: &Package, engine: EngineTag) -> Option<Bytecode> {
    let deadline = Instant::now() + HELPER_TIME_LIMIT;
    // The files of the addon may have been replaced since the kernel was started.
    match news.recv_deadline(deadline).ok()? {
        News::Event(Event::Ready { engine: of, .. }) if of == engine => {}
        News::Event(_) | News::Gone => return None,
    }
    worker.send(Command::Compile { code: Arc::clone(package.code()) }).ok()?;
    match news.recv_deadline(deadline).ok()? {
        News::Event(Event::Compiled(bytecode)) => bytecode,
        News::Event(_) | News::Gone => None,
    }
}
