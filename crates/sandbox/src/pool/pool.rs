//! The worker pool: starts and kills workers, assigns runs to them, and handles their messages and their end.
//!
//! All decisions are made in [`PoolState`] under one lock; messages to workers and callers are sent outside it.

use super::active_run::{ActiveRun, CallDecision, Rogue};
use super::bytecode_cache::BytecodeCache;
use super::pool_action::{Assignment, Loss, Refusal};
use super::pool_options::PoolOptions;
use super::pool_registry::PoolRegistry;
use super::pool_state::{PoolState, QueueLimits};
use super::stocked_worker;
use super::worker_slots::WorkerId;
use crate::confinement::Confinement;
use crate::crash_cause::CrashCause;
use crate::host::{Question, Reply};
use crate::json_shape::JsonShape;
use crate::message::{Activity, Command, Event};
use crate::run_end::{RunEnd, cut_stack};
use crate::run_request::{Done, LogLine, RunOutcome, RunRequest};
use crate::sandbox_error::SandboxError;
use crate::transport::News;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::{CallId, RunId};
use tgp_base::threads::{self, Next, Panicked, Priority, SleepingThread};

/// How long `shutdown` waits for killed workers to end.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// Delay of the supervisor's next check after a panic.
const AFTER_PANIC: Duration = Duration::from_millis(50);

static POOLS: PoolRegistry<Pool> = PoolRegistry::new();

pub struct Pool {
    options: PoolOptions,
    bytecode: Arc<BytecodeCache>,
    state: Mutex<PoolState>,
    changed: Condvar,
    /// Wakes at the earliest deadline.
    supervisor: SleepingThread,
}

impl Pool {
    pub fn new(options: PoolOptions) -> Arc<Self> {
        let queue = QueueLimits { runs: options.queue, time: options.queue_time };
        let state = Mutex::new(PoolState::new(options.workers, options.max_waiting, options.warm, options.idle, queue));
        let bytecode = BytecodeCache::new(options.isolation, options.files.clone(), Arc::clone(&options.bytecode));
        let supervisor = SleepingThread::new("tgp-supervisor", Priority::Normal);
        let pool = Arc::new(Self { options, bytecode, state, changed: Condvar::new(), supervisor });
        let older = pool.options.root.as_deref().and_then(|root| POOLS.enter(root, &pool));
        if let Some(older) = older {
            older.update_active();
        }
        pool.start_workers();
        pool
    }

    /// Keeps idle workers if this is the newest pool of its root, and ends them otherwise.
    fn update_active(&self) {
        let idle = {
            let mut state = self.state.lock();
            // Checked under the lock, so that with concurrent calls the last one sets the current state.
            if self.options.root.as_deref().is_some_and(|root| POOLS.is_newest(root, self)) {
                state.activate();
                Vec::new()
            } else {
                state.deactivate()
            }
        };
        for worker in idle {
            worker.kill();
        }
        self.relieve_supervisor();
    }

    /// Unregisters this pool, and lets the pool before it keep idle workers again.
    fn leave_place(&self) {
        let older = self.options.root.as_deref().and_then(|root| POOLS.leave(root, self));
        if let Some(older) = older {
            older.update_active();
        }
    }

    /// Queues a run. `done` is called exactly once.
    pub fn submit(self: &Arc<Self>, request: RunRequest, done: Done) {
        let queued = self.state.lock().enqueue(request, done, Instant::now());
        match queued {
            Ok(None) => {}
            Ok(Some(ousted)) => ousted.complete(Err(SandboxError::QueueFull { most: self.options.queue })),
            Err(Refusal::Closed(done)) => return done.complete(Err(SandboxError::Closed)),
            Err(Refusal::Full(done)) => {
                return done.complete(Err(SandboxError::QueueFull { most: self.options.queue }));
            }
        }
        self.start_workers();
        self.pump();
        let queue_deadline = self.state.lock().queue_deadline();
        self.supervise(queue_deadline);
    }

    /// Cancels a run, queued or started.
    pub fn cancel(&self, run: RunId) {
        let (worker, waiting) = {
            let mut state = self.state.lock();
            (state.cancel_active(run), state.take_waiting(run))
        };
        if let Some(worker) = worker {
            // Fails only if the worker has ended, which ends its run.
            let _gone = worker.send(Command::Cancel { run });
        }
        if let Some(done) = waiting {
            done.complete(Ok(RunOutcome::of_cancelled()));
        }
    }

    /// The confinement of the workers. Waits for the report of one, and starts one if there is none.
    pub fn confinement(self: &Arc<Self>) -> Result<Confinement, SandboxError> {
        self.state.lock().inspect();
        self.start_workers();
        let mut state = self.state.lock();
        loop {
            match state.confinement() {
                Ok(Some(confinement)) => return Ok(confinement),
                Err(error) => return Err(error),
                Ok(None) => self.changed.wait(&mut state),
            }
        }
    }

    /// Ends all runs and workers, and waits until the workers have ended.
    pub fn shutdown(&self) {
        self.leave_place();
        let (workers, orphans) = self.state.lock().close();
        for worker in workers {
            worker.kill();
        }
        fail_all(orphans, &SandboxError::Closed);
        let deadline = Instant::now() + SHUTDOWN_TIMEOUT;
        let mut state = self.state.lock();
        while !state.is_empty() && !self.changed.wait_until(&mut state, deadline).timed_out() {}
        drop(state);
        self.relieve_supervisor();
        self.bytecode.close();
        self.changed.notify_all();
    }

    /// Starts the workers that the load requires.
    fn start_workers(self: &Arc<Self>) {
        let (ids, deadline) = {
            let mut state = self.state.lock();
            (state.reserve_workers(Instant::now()), state.next_deadline())
        };
        if !ids.is_empty() {
            self.supervise(deadline);
        }
        for id in ids {
            let pool = Arc::clone(self);
            // Starting a process takes a millisecond or more; the caller does not wait for it.
            let spawned = threads::spawn("tgp-worker-start", move || {
                if threads::contain(|| pool.start_worker(id)).is_err() {
                    let loss = pool.state.lock().abandon(id, CrashCause::Host);
                    pool.clean_up(loss, CrashCause::Host);
                }
            });
            if let Err(error) = spawned {
                self.on_start_failed(id, &SandboxError::cannot_start(&error));
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
        match stocked_worker::start(&self.options, &self.bytecode, sink) {
            Ok(worker) => {
                let unwanted = self.state.lock().attach(id, Arc::clone(&worker), Instant::now());
                if unwanted {
                    worker.kill();
                }
                self.pump();
                // The worker may have become ready before it was attached.
                self.watch_deadlines();
            }
            Err(error) => self.on_start_failed(id, &error),
        }
    }

    fn on_start_failed(self: &Arc<Self>, id: WorkerId, error: &SandboxError) {
        let victims = self.state.lock().start_failed(id, error);
        fail_all(victims, error);
        self.relieve_supervisor();
        self.changed.notify_all();
        self.start_workers();
    }

    /// Assigns queued runs to idle workers.
    fn pump(self: &Arc<Self>) {
        loop {
            let assigned = self.state.lock().assign(Instant::now());
            let Some(Assignment { worker, command, deadline }) = assigned else { return };
            self.supervise(deadline);
            let sent = threads::contain(|| worker.send(Command::Run(Box::new(command))));
            if !matches!(sent, Ok(Ok(()))) {
                // The worker's thread reports its end, and then the run is queued again.
                worker.kill();
            }
        }
    }

    /// Handles a message of a worker. Messages are untrusted: an invalid one ends the worker.
    fn on_news(self: &Arc<Self>, id: WorkerId, news: News) {
        let result = match news {
            News::Event(event) => self.on_event(id, event),
            News::Gone(cause) => {
                let loss = self.state.lock().worker_ended(id, cause);
                self.clean_up(loss, cause);
                Ok(())
            }
        };
        if let Err(Rogue) = result {
            let loss = self.state.lock().give_up(id, CrashCause::InvalidMessage);
            self.clean_up(loss, CrashCause::InvalidMessage);
        }
    }

    fn on_event(self: &Arc<Self>, id: WorkerId, event: Event) -> Result<(), Rogue> {
        let bytes = event.text_bytes();
        match event {
            Event::Ready { confinement, .. } => {
                self.state.lock().ready(id, confinement, Instant::now())?;
                self.changed.notify_all();
                self.pump();
                self.watch_deadlines();
            }
            Event::Started { run } => {
                self.state.lock().accept(id, run, bytes, ActiveRun::begin)?;
            }
            Event::Activity { run, activity } => self.on_activity(id, run, activity)?,
            Event::Log { run, level, text } => {
                let line = LogLine { level, message: text };
                self.state.lock().accept(id, run, bytes, |active| active.log(line))?;
            }
            Event::HostCall { run, call, name, args_json } => {
                self.ask(id, run, call, bytes, Question { name, args_json })?;
            }
            Event::Done { run, end, stats, stack, fitness } => {
                let finished = {
                    let mut state = self.state.lock();
                    let is_accepted = state.accept(id, run, bytes, |_| Ok(()))?.is_some();
                    if is_accepted { state.finish(id, &end, fitness, Instant::now()) } else { None }
                };
                if let Some(finished) = finished {
                    if let Some(worker) = finished.dismissed {
                        worker.kill();
                    }
                    finished.active.charge(Some(stats));
                    self.pump();
                    self.start_workers();
                    self.watch_deadlines();
                    finished.active.conclude(end.cut(), stats.plausible(), cut_stack(stack));
                }
            }
            // Workers that run guests never compile bytecode for others, because a guest could have tampered with it.
            Event::Compiled(_) => return Err(Rogue),
        }
        Ok(())
    }

    /// Records whether a run waits; a waiting run lends its turn to others.
    fn on_activity(self: &Arc<Self>, id: WorkerId, run: RunId, activity: Activity) -> Result<(), Rogue> {
        self.state.lock().note_activity(id, run, activity)?;
        if activity == Activity::Waiting {
            self.start_workers();
            self.pump();
        }
        Ok(())
    }

    /// Passes a host call of a run to its host.
    fn ask(&self, id: WorkerId, run: RunId, call: CallId, bytes: usize, question: Question) -> Result<(), Rogue> {
        let shape = JsonShape::of(&question.args_json);
        let (decision, worker) = {
            let mut state = self.state.lock();
            let decision = state.accept(id, run, bytes, |active| active.ask(&question.name, shape))?;
            (decision, state.worker(id))
        };
        let (Some(decision), Some(worker)) = (decision, worker) else { return Ok(()) };
        match decision {
            CallDecision::Forward(host, open) => {
                let reply = Reply::new(worker, open, run, call);
                // A panic drops the reply, which sends an error to the guest.
                let _panicked = threads::contain(|| host.call(question, reply));
            }
            CallDecision::Refuse(error) => {
                // Fails only if the worker has ended, which ends its run.
                let _gone = worker.send(Command::HostReply { run, call, answer: error.into() });
            }
            CallDecision::Ignore => {}
        }
        Ok(())
    }

    /// Cleans up after a worker that was given up.
    fn clean_up(self: &Arc<Self>, loss: Loss, cause: CrashCause) {
        if let Some(worker) = loss.worker {
            worker.kill();
        }
        if let Some(active) = loss.run {
            let is_overdue = cause == CrashCause::Overdue;
            active.conclude_lost(if is_overdue { RunEnd::WallTimeout } else { RunEnd::Crashed(cause) });
        }
        fail_all(loss.given_up, &SandboxError::KeepsDying(cause));
        self.relieve_supervisor();
        self.changed.notify_all();
        self.start_workers();
        self.pump();
    }

    /// Has the supervisor check the pool at `deadline` at the latest. It holds only a weak reference to the pool, and may
    /// outlive it for a moment.
    fn supervise(self: &Arc<Self>, deadline: Option<Instant>) {
        let Some(deadline) = deadline else { return };
        let pool = Arc::downgrade(self);
        let check = move || match pool.upgrade().map(|pool| threads::contain(|| pool.enforce())) {
            Some(Ok(())) | None => Next::End,
            // A check that panicked has not set the next deadline, so one is set here.
            Some(Err(Panicked)) => Next::At(Instant::now() + AFTER_PANIC),
        };
        // Without a thread, the next call tries again.
        let _no_thread = self.supervisor.wake_by(deadline, check);
    }

    /// Stops the supervisor if there is no deadline, permanently if the pool is over.
    fn relieve_supervisor(&self) {
        // Under the lock, so that a deadline that is set afterwards is not lost.
        let state = self.state.lock();
        if state.is_over() {
            self.supervisor.close();
        } else if state.next_deadline().is_none() {
            self.supervisor.rest();
        }
    }

    /// Sets the supervisor to the next deadline.
    fn watch_deadlines(self: &Arc<Self>) {
        let deadline = self.state.lock().next_deadline();
        self.supervise(deadline);
    }

    /// Kills workers past their deadline, in case their own watchdog failed, and idle workers that are not needed.
    fn enforce(self: &Arc<Self>) {
        let (overdue, unneeded, late) = {
            let (mut state, now) = (self.state.lock(), Instant::now());
            (state.take_overdue(now), state.take_unneeded(now), state.take_late(now))
        };
        fail_all(late, &SandboxError::QueueTimeout { waited_ms: self.options.queue_time.as_millis() });
        for worker in unneeded {
            worker.kill();
        }
        for loss in overdue {
            // A panic for one worker must not stop the loop.
            let _panicked = threads::contain(|| self.clean_up(loss, CrashCause::Overdue));
        }
        self.watch_deadlines();
    }
}

fn fail_all(requests: Vec<Done>, error: &SandboxError) {
    for done in requests {
        done.complete(Err(error.clone()));
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.leave_place();
        self.supervisor.close();
        let (workers, orphans) = self.state.lock().close();
        for worker in workers {
            worker.kill();
        }
        fail_all(orphans, &SandboxError::Closed);
    }
}
