//! The workers: how many there are, which one gets the next run, and what happens when one dies.
//!
//! All decisions are taken in [`PoolState`] under one lock; talking to workers and to callers happens outside it.

use super::bytecode_cache::{BytecodeCache, BytecodeStore};
use super::confinement::Confinement;
use super::host::{Question, Reply};
use super::message::{Command, Event, RunEnd, RunStats};
use super::pool_state::{Active, Asked, Assignment, PoolState, Refusal, WorkerId};
use super::run_request::{Done, LogLine, RunOutcome, RunRequest};
use super::sandbox_error::SandboxError;
use super::stocked_worker;
use super::transport::{Isolation, News, WorkerFiles};
use crate::ids::RunId;
use crate::threads;
use parking_lot::{Condvar, Mutex};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Size and kind of a pool.
#[derive(Debug, Clone)]
pub struct PoolOptions {
    pub isolation: Isolation,
    pub files: WorkerFiles,
    /// Most workers at one time.
    pub workers: usize,
    /// Workers kept ready while nothing runs.
    pub warm: usize,
    /// Most runs that may wait at one time.
    pub queue: usize,
    /// Memory that most runs will ask for.
    pub memory_bytes: u64,
    /// Where bytecode of packages is kept for later pools.
    pub bytecode: Arc<dyn BytecodeStore>,
}

/// How often the supervisor looks at deadlines while there is something to look at.
const SUPERVISION: Duration = Duration::from_millis(50);
/// How long `shutdown` waits for killed workers to be reaped.
const FAREWELL: Duration = Duration::from_secs(2);

pub struct Pool {
    options: PoolOptions,
    bytecode: Arc<BytecodeCache>,
    state: Mutex<PoolState>,
    changed: Condvar,
}

impl Pool {
    pub fn new(options: PoolOptions) -> Arc<Self> {
        let state = Mutex::new(PoolState::new(options.workers, options.warm, options.queue));
        let bytecode = BytecodeCache::new(options.isolation, options.files.clone(), Arc::clone(&options.bytecode));
        let pool = Arc::new(Self { options, bytecode, state, changed: Condvar::new() });
        pool.start_workers();
        pool
    }

    /// Queues a run. `done` is called once, whatever happens.
    pub fn submit(self: &Arc<Self>, request: RunRequest, done: Done) {
        let queued = self.state.lock().enqueue(request, done);
        match queued {
            Ok(()) => {}
            Err(Refusal::Closed(done)) => return done(Err(SandboxError::Closed)),
            Err(Refusal::Full(done)) => return done(Err(SandboxError::QueueFull { most: self.options.queue })),
        }
        self.start_workers();
        self.pump();
    }

    /// Ends a run early, whether it waits or is under way.
    pub fn cancel(&self, run: RunId) {
        let (worker, waiting) = {
            let mut state = self.state.lock();
            (state.cancel_active(run), state.take_waiting(run))
        };
        if let Some(worker) = worker {
            // A worker that cannot be told has died, and its run ends by that.
            let _gone = worker.send(Command::Cancel { run });
        }
        if let Some(waiting) = waiting {
            (waiting.done)(Ok(RunOutcome {
                end: RunEnd::Cancelled,
                logs: Vec::new(),
                stats: RunStats::default(),
                stack: String::new(),
            }));
        }
    }

    /// What holds the workers. Waits for one to tell, and starts one when there is none.
    pub fn confinement(self: &Arc<Self>) -> Result<Confinement, SandboxError> {
        self.state.lock().inspect();
        self.start_workers();
        let mut state = self.state.lock();
        loop {
            match state.confinement() {
                Ok(Some(confinement)) => return Ok(confinement),
                Err(()) => return Err(SandboxError::Closed),
                Ok(None) => self.changed.wait(&mut state),
            }
        }
    }

    /// Ends every run and every worker, and waits until the workers are gone.
    pub fn shutdown(&self) {
        let (workers, orphans) = self.state.lock().close();
        for worker in workers {
            worker.kill();
        }
        for done in orphans {
            done(Err(SandboxError::Closed));
        }
        let deadline = Instant::now() + FAREWELL;
        let mut state = self.state.lock();
        while !state.is_empty() && !self.changed.wait_until(&mut state, deadline).timed_out() {}
        drop(state);
        self.bytecode.close();
        self.changed.notify_all();
    }

    /// Brings the number of workers to what the load asks for.
    fn start_workers(self: &Arc<Self>) {
        let ids = {
            let mut state = self.state.lock();
            let ids = state.reserve_workers(Instant::now());
            if !ids.is_empty() && state.claim_supervisor() {
                self.start_supervisor();
            }
            ids
        };
        for id in ids {
            let pool = Arc::clone(self);
            // Starting a process takes a millisecond or more of whoever does it: not the caller's.
            let spawned = threads::spawn("tgp-worker-start", move || pool.start_worker(id));
            if let Err(error) = spawned {
                self.on_start_failed(id, SandboxError::CannotStart { reason: error.kind().to_string() });
            }
        }
    }

    fn start_worker(self: &Arc<Self>, id: WorkerId) {
        let weak = Arc::downgrade(self);
        let sink = Arc::new(move |news| {
            if let Some(pool) = weak.upgrade() {
                pool.on_news(id, news);
            }
        });
        let PoolOptions { isolation, files, memory_bytes, .. } = &self.options;
        match stocked_worker::start(*isolation, files, *memory_bytes, &self.bytecode, sink) {
            Ok(worker) => {
                let unwanted = self.state.lock().attach(id, Arc::clone(&worker), Instant::now());
                if unwanted {
                    worker.kill();
                }
                self.pump();
            }
            Err(error) => self.on_start_failed(id, error),
        }
    }

    fn on_start_failed(self: &Arc<Self>, id: WorkerId, error: SandboxError) {
        let victims = self.state.lock().start_failed(id);
        for done in victims {
            done(Err(error.clone()));
        }
        self.changed.notify_all();
        self.start_workers();
    }

    /// Hands waiting runs to idle workers.
    fn pump(self: &Arc<Self>) {
        loop {
            let Some(Assignment { worker, command }) = self.state.lock().assign(Instant::now()) else { return };
            if worker.send(Command::Run(Box::new(command))).is_err() {
                // The worker's own thread will report its death, and then the run goes back to the queue.
                worker.kill();
            }
        }
    }

    fn on_news(self: &Arc<Self>, id: WorkerId, news: News) {
        match news {
            News::Event(Event::Ready { confinement, .. }) => {
                self.state.lock().ready(id, confinement, Instant::now());
                self.changed.notify_all();
                self.pump();
            }
            News::Event(Event::Started { run }) => self.state.lock().started(id, run),
            News::Event(Event::Log { run, level, text }) => {
                self.state.lock().log(id, run, LogLine { level, message: text });
            }
            News::Event(Event::HostCall { run, call, name, args_json }) => {
                let asked = self.state.lock().asked(id, run);
                match asked {
                    Some(Asked::Host { host, worker, pending }) => {
                        host.call(Question { name, args_json }, Reply::new(worker, pending, run, call));
                    }
                    Some(Asked::Rogue(worker)) => worker.kill(),
                    None => {}
                }
            }
            News::Event(Event::Done { run, end, stats, stack, fitness }) => {
                let finished = self.state.lock().finish(id, run, &end, fitness, Instant::now());
                if let Some(finished) = finished {
                    if let Some(worker) = finished.dismissed {
                        worker.kill();
                    }
                    self.pump();
                    self.start_workers();
                    finish(finished.active, end, stats, stack);
                }
            }
            // Nobody asks a worker of the pool for bytecode: what it offers has been in reach of a guest.
            News::Event(Event::Compiled(_)) => {}
            News::Gone => self.on_gone(id),
        }
    }

    fn on_gone(self: &Arc<Self>, id: WorkerId) {
        let loss = self.state.lock().gone(id);
        if let Some(active) = loss.crashed {
            lose(active, RunEnd::Crashed("the worker process ended".to_owned()));
        }
        for done in loss.given_up {
            done(Err(SandboxError::KeepsDying));
        }
        self.changed.notify_all();
        self.start_workers();
        self.pump();
    }

    fn start_supervisor(self: &Arc<Self>) {
        let weak = Arc::downgrade(self);
        let spawned = threads::spawn("tgp-supervisor", move || supervise(&weak));
        if spawned.is_err() {
            self.state.lock().release_supervisor();
        }
    }

    /// Ends what is past its deadline: the last wall behind the worker's own watchdog.
    fn enforce(self: &Arc<Self>) {
        let overdue = self.state.lock().take_overdue(Instant::now());
        for (worker, active) in overdue {
            worker.kill();
            if let Some(active) = active {
                lose(active, RunEnd::WallTimeout);
            }
        }
    }
}

fn finish(active: Active, end: RunEnd, stats: RunStats, stack: String) {
    (active.done)(Ok(RunOutcome { end, logs: active.logs, stats, stack }));
}

/// Ends a run whose worker cannot tell any more what it cost.
fn lose(active: Active, end: RunEnd) {
    let stats = active.stats();
    finish(active, end, stats, String::new());
}

/// Looks at deadlines for as long as the pool lives. It holds no pool while it sleeps.
fn supervise(pool: &Weak<Pool>) {
    loop {
        std::thread::sleep(SUPERVISION);
        let Some(pool) = pool.upgrade() else { return };
        pool.enforce();
        if pool.state.lock().may_release_supervisor() {
            return;
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let (workers, orphans) = self.state.lock().close();
        for worker in workers {
            worker.kill();
        }
        for done in orphans {
            done(Err(SandboxError::Closed));
        }
    }
}
