//! The state of a pool and all its decisions, without side effects: no threads, pipes or callbacks are used, and time is an
//! argument.

use super::active_run::{ActiveRun, QueuedRun, Rogue};
use super::deadlines::Deadlines;
use super::fair_queue::LastRun;
use super::pool_action::{Assignment, Finished, Loss, Refusal};
use super::readiness::Readiness;
use super::run_order::{RunOrder, ScheduledRun};
use super::run_pace::RunPace;
use super::worker_slots::{GivenUp, SlotState, WorkerId, WorkerSlots};
use crate::confinement::Confinement;
use crate::crash_cause::CrashCause;
use crate::message::{Activity, Fitness};
use crate::run_end::RunEnd;
use crate::run_request::{Done, RunRequest};
use crate::sandbox_error::SandboxError;
use crate::transport::Worker;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// Consecutive failed starts of workers after which queued runs fail.
const START_ATTEMPTS: u32 = 3;
/// How often a run whose worker ended before the run began is queued again.
const RUN_ATTEMPTS: u32 = 3;
/// Longest version in an engine's report.
const VERSION_BYTES: usize = 64;

/// Length of the queue, and the longest time in it.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    pub runs: usize,
    pub time: Duration,
}

pub struct PoolState {
    slots: WorkerSlots,
    pace: RunPace,
    order: RunOrder<QueuedRun>,
    /// Deadlines of queued runs.
    queue_deadlines: Deadlines<RunId>,
    max_workers: usize,
    readiness: Readiness,
    queue: QueueLimits,
    confinement: Option<Confinement>,
    inspected: bool,
    failed_starts: u32,
    /// Why the last worker did not start.
    last_failure: Option<SandboxError>,
    closed: bool,
}

impl PoolState {
    /// `max_waiting` is the number of waiting runs that may lend their turn.
    pub fn new(max_workers: usize, max_waiting: usize, warm: usize, idle: Duration, queue: QueueLimits) -> Self {
        Self {
            slots: WorkerSlots::default(),
            pace: RunPace::default(),
            order: RunOrder::new(max_workers, max_waiting),
            queue_deadlines: Deadlines::default(),
            max_workers,
            readiness: Readiness::new(warm.min(max_workers), idle),
            queue,
            confinement: None,
            inspected: false,
            failed_starts: 0,
            last_failure: None,
            closed: false,
        }
    }

    /// Queues a run; returns `done` in the error if it is refused. If the queue is full, the run may replace one of an owner with
    /// more queued runs; the callback of that run is returned.
    pub fn enqueue(&mut self, request: RunRequest, done: Done, now: Instant) -> Result<Option<Done>, Refusal> {
        if self.closed {
            return Err(Refusal::Closed(done));
        }
        // Nested runs are limited by their tree, not by the queue.
        let is_full = request.lineage.depth == 0 && self.order.waiting_roots() >= self.queue.runs;
        let ousted = if is_full {
            let Some((scheduled, queued)) = self.order.make_room(&request.owner) else {
                return Err(Refusal::Full(done));
            };
            self.queue_deadlines.clear(scheduled.run);
            Some(queued.done)
        } else {
            None
        };
        self.readiness.wake();
        let scheduled = ScheduledRun {
            run: request.run,
            lineage: request.lineage,
            tool: request.entry.clone(),
            owner: Arc::clone(&request.owner),
        };
        self.queue_deadlines.set(scheduled.run, now.checked_add(self.queue.time));
        self.order.push(scheduled, QueuedRun { request, attempts: 0, since: now, done });
        Ok(ousted)
    }

    /// Requests a worker until one has reported its confinement.
    pub fn inspect(&mut self) {
        self.inspected = true;
    }

    /// The confinement of the workers, once one has reported it; `Err` if none will.
    pub fn confinement(&self) -> Result<Option<Confinement>, SandboxError> {
        if self.closed {
            return Err(SandboxError::Closed);
        }
        if self.failed_starts >= START_ATTEMPTS {
            return Err(self.last_failure.clone().unwrap_or(SandboxError::KeepsDying(CrashCause::Host)));
        }
        Ok(self.confinement.clone())
    }

    /// Reserves slots for the workers that the load requires. The caller starts them.
    pub fn reserve_workers(&mut self, now: Instant) -> Vec<WorkerId> {
        let startable = self.order.startable();
        if self.closed || self.failed_starts >= START_ATTEMPTS && startable == 0 {
            return Vec::new();
        }
        let (alive, busy) = (self.slots.alive(), self.slots.busy());
        let requested = usize::from(self.inspected && self.confinement.is_none());
        let warm = self.readiness.kept().max(requested);
        let helper = usize::from(self.pace.needs_another_worker());
        let wanted = (busy + startable.max(warm)).max(alive + helper).min(self.max_workers.max(busy + startable));
        if wanted > alive {
            self.pace.restart();
        }
        (alive..wanted).map(|_| self.slots.reserve(now)).collect()
    }

    /// The earliest deadline: of a worker's start or run, an idle worker, or a queued run.
    pub fn next_deadline(&self) -> Option<Instant> {
        let queued = self.queue_deadline();
        self.slots.next_deadline().into_iter().chain(self.readiness.next_check(&self.slots)).chain(queued).min()
    }

    /// The earliest deadline of a queued run.
    pub fn queue_deadline(&self) -> Option<Instant> {
        self.queue_deadlines.earliest()
    }

    /// Gives up the workers that have been idle for too long.
    pub fn take_unneeded(&mut self, now: Instant) -> Vec<Arc<dyn Worker>> {
        let mut workers = Vec::new();
        while let Some(id) = self.readiness.take_unneeded(&self.slots, now) {
            workers.extend(self.slots.give_up(id).and_then(|given_up| given_up.worker));
        }
        workers
    }

    /// Keeps no idle workers from now on, and gives up the current ones. The pool still serves runs.
    pub fn deactivate(&mut self) -> Vec<Arc<dyn Worker>> {
        self.readiness.deactivate();
        let mut workers = Vec::new();
        while let Some((id, _)) = self.slots.longest_idle() {
            workers.extend(self.slots.give_up(id).and_then(|given_up| given_up.worker));
        }
        workers
    }

    /// Keeps idle workers again, from the next run on.
    pub fn activate(&mut self) {
        self.readiness.activate();
    }

    /// Sets the worker of a reserved slot; true if it is no longer needed.
    pub fn attach(&mut self, id: WorkerId, worker: Arc<dyn Worker>, now: Instant) -> bool {
        self.slots.attach(id, worker, now) || self.closed
    }

    /// Records that a worker could not be started. Returns the runs that fail because of it.
    pub fn start_failed(&mut self, id: WorkerId, why: &SandboxError) -> Vec<Done> {
        self.last_failure = Some(why.clone());
        if self.slots.remove(id) { self.note_failed_start() } else { Vec::new() }
    }

    pub fn ready(&mut self, id: WorkerId, confinement: Confinement, now: Instant) -> Result<(), Rogue> {
        if confinement.engine.version.len() > VERSION_BYTES {
            return Err(Rogue);
        }
        if self.slots.ready(id, now)? {
            self.failed_starts = 0;
            self.confinement = Some(confinement);
        }
        Ok(())
    }

    /// Assigns a queued run to an idle worker.
    pub fn assign(&mut self, now: Instant) -> Option<Assignment> {
        let (id, worker, idle_since) = self.slots.next_idle(now)?;
        let (scheduled, queued) = self.order.next()?;
        self.queue_deadlines.clear(scheduled.run);
        self.pace.note_idle(now.saturating_duration_since(idle_since));
        let active = ActiveRun::new(scheduled, queued, now);
        let command = active.command();
        let deadline = self.slots.occupy(id, active, now);
        Some(Assignment { worker, command, deadline })
    }

    /// Passes a worker's message about `run` to `handle`. Messages of given-up workers are ignored.
    pub fn accept<T>(
        &mut self,
        id: WorkerId,
        run: RunId,
        bytes: usize,
        handle: impl FnOnce(&mut ActiveRun) -> Result<T, Rogue>,
    ) -> Result<Option<T>, Rogue> {
        self.slots.accept(id, run, bytes, handle)
    }

    /// Records whether a run waits for answers or timers.
    pub fn note_activity(&mut self, id: WorkerId, run: RunId, activity: Activity) -> Result<(), Rogue> {
        let scheduled = self.slots.accept(id, run, 0, |active| Ok(active.scheduled.clone()))?;
        if let Some(scheduled) = scheduled {
            self.order.note_activity(&scheduled, activity);
        }
        Ok(())
    }

    /// The worker of a slot.
    pub fn worker(&self, id: WorkerId) -> Option<Arc<dyn Worker>> {
        self.slots.worker(id)
    }

    /// Marks a run as cancelled, and returns its worker. Its host calls are ignored from now on, because a worker needs a
    /// moment to stop its guest.
    pub fn cancel_active(&mut self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.cancel(run)
    }

    /// Removes a run from the queue.
    pub fn take_waiting(&mut self, run: RunId) -> Option<Done> {
        self.queue_deadlines.clear(run);
        self.order.withdraw(run).map(|queued| queued.done)
    }

    /// Removes the runs from the queue that have waited for too long.
    pub fn take_late(&mut self, now: Instant) -> Vec<Done> {
        let mut late = Vec::new();
        while let Some(run) = self.queue_deadlines.take_due(now) {
            late.extend(self.order.withdraw(run).map(|queued| queued.done));
        }
        late
    }

    /// Ends a run after its worker's report was accepted by [`accept`](Self::accept).
    pub fn finish(&mut self, id: WorkerId, end: &RunEnd, fitness: Fitness, now: Instant) -> Option<Finished> {
        let active = self.slots.take_run(id)?;
        self.order.end(&active.scheduled);
        if let Some(last_run) = last_run(end) {
            self.order.note(&active.scheduled.tool, last_run);
        }
        // Waiting runs hold workers of their own. Workers that were started for other runs meanwhile end when they are not needed.
        let surplus = self.slots.idle() >= self.max_workers.max(self.order.startable());
        let dismissed = match fitness {
            Fitness::Reusable if !surplus => {
                self.slots.rest(id, now);
                None
            }
            Fitness::Reusable | Fitness::Spent => self.slots.worker(id),
        };
        Some(Finished { active, dismissed })
    }

    /// Records the end of a worker.
    pub fn worker_ended(&mut self, id: WorkerId, cause: CrashCause) -> Loss {
        let loss = self.give_up(id, cause);
        self.slots.remove(id);
        loss
    }

    /// Gives up a worker that has ended or sent an invalid message.
    pub fn give_up(&mut self, id: WorkerId, cause: CrashCause) -> Loss {
        let Some(GivenUp { worker, was }) = self.slots.give_up(id) else { return Loss::default() };
        let loss = match was {
            SlotState::Starting => {
                self.last_failure = Some(SandboxError::KeepsDying(cause));
                Loss { given_up: self.note_failed_start(), ..Loss::default() }
            }
            SlotState::Idle | SlotState::Dying => Loss::default(),
            SlotState::Busy(active) => self.put_back_or_lose(*active),
        };
        Loss { worker, ..loss }
    }

    /// Gives up a worker that did not start in time, and removes its slot if there is no process.
    pub fn abandon(&mut self, id: WorkerId, cause: CrashCause) -> Loss {
        if self.slots.worker(id).is_none() { self.worker_ended(id, cause) } else { self.give_up(id, cause) }
    }

    /// Gives up the workers that are past their deadline.
    pub fn take_overdue(&mut self, now: Instant) -> Vec<Loss> {
        let mut losses = Vec::new();
        while let Some(id) = self.slots.take_overdue(now) {
            losses.push(match self.slots.take_run(id) {
                Some(active) => Loss { run: Some(self.lose(active)), ..self.give_up(id, CrashCause::Overdue) },
                None => self.abandon(id, CrashCause::Overdue),
            });
        }
        losses
    }

    /// Closes the pool. Returns the workers to kill and the runs that will not be completed.
    pub fn close(&mut self) -> (Vec<Arc<dyn Worker>>, Vec<Done>) {
        self.closed = true;
        let mut orphans = self.drain();
        let mut workers = Vec::new();
        for GivenUp { worker, was } in self.slots.give_up_all() {
            workers.extend(worker);
            if let SlotState::Busy(active) = was {
                self.order.end(&active.scheduled);
                orphans.push(active.done);
            }
        }
        (workers, orphans)
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether the pool is closed and all workers have ended.
    pub fn is_over(&self) -> bool {
        self.closed && self.slots.is_empty()
    }

    /// Queues a run again, in first place, if it had not begun: it had no effect then.
    fn put_back_or_lose(&mut self, active: ActiveRun) -> Loss {
        let attempts = if self.closed { 0 } else { RUN_ATTEMPTS };
        match active.again(attempts) {
            Ok((scheduled, queued)) => {
                self.queue_deadlines.set(scheduled.run, queued.since.checked_add(self.queue.time));
                self.order.put_back(scheduled, queued);
                Loss::default()
            }
            Err(active) => Loss { run: Some(self.lose(active)), ..Loss::default() },
        }
    }

    /// Records a run that crashed its worker.
    fn lose(&mut self, active: ActiveRun) -> ActiveRun {
        self.order.end(&active.scheduled);
        self.order.note(&active.scheduled.tool, LastRun::Stopped);
        active
    }

    fn note_failed_start(&mut self) -> Vec<Done> {
        self.failed_starts += 1;
        if self.failed_starts < START_ATTEMPTS {
            return Vec::new();
        }
        self.drain()
    }

    /// Removes all queued runs.
    fn drain(&mut self) -> Vec<Done> {
        self.queue_deadlines = Deadlines::default();
        self.order.drain().into_iter().map(|queued| queued.done).collect()
    }
}

/// The outcome of a run that ended like this; `None` for a cancellation.
fn last_run(end: &RunEnd) -> Option<LastRun> {
    match end {
        RunEnd::Value(_) | RunEnd::Thrown(_) | RunEnd::BadResult(_) => Some(LastRun::Ended),
        RunEnd::CpuTimeout
        | RunEnd::PackageTimeout
        | RunEnd::WallTimeout
        | RunEnd::OutOfMemory
        | RunEnd::Crashed(_) => Some(LastRun::Stopped),
        RunEnd::Cancelled => None,
    }
}
