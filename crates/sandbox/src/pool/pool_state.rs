//! All decisions of a pool: which worker gets which run, and what becomes of both. No thread, no pipe, no callback is
//! touched here; time is an argument.

use super::active_run::{ActiveRun, QueuedRun, Rogue};
use super::deadlines::Deadlines;
use super::fair_queue::Conduct;
use super::pool_action::{Assignment, Finished, Loss, Refusal};
use super::readiness::Readiness;
use super::run_order::{RunOrder, Ticket};
use super::run_pace::RunPace;
use super::worker_slots::{GivenUp, SlotState, WorkerId, WorkerSlots};
use crate::confinement::Confinement;
use crate::message::{Fitness, Rest};
use crate::run_end::RunEnd;
use crate::run_request::{Done, RunRequest};
use crate::sandbox_error::SandboxError;
use crate::transport::Worker;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// Workers that die before they are ready, in a row, until waiting runs are given up.
const START_ATTEMPTS: u32 = 3;
/// How often a run whose worker died before it began is put back.
const RUN_ATTEMPTS: u32 = 3;
/// Longest version that an engine may say it has.
const VERSION_BYTES: usize = 64;

/// How many runs may wait for a worker, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct QueueLimits {
    pub runs: usize,
    pub time: Duration,
}

pub struct PoolState {
    slots: WorkerSlots,
    pace: RunPace,
    order: RunOrder<QueuedRun>,
    /// When runs that wait are given up.
    queue_deadlines: Deadlines<RunId>,
    max_workers: usize,
    readiness: Readiness,
    queue: QueueLimits,
    confinement: Option<Confinement>,
    inspected: bool,
    failed_starts: u32,
    /// Why the last worker could not be started; nothing for one that died by itself.
    last_failure: Option<SandboxError>,
    closed: bool,
}

impl PoolState {
    /// `lent` is how many more runs may go on while others wait.
    pub fn new(max_workers: usize, lent: usize, warm: usize, idle: Duration, queue: QueueLimits) -> Self {
        Self {
            slots: WorkerSlots::default(),
            pace: RunPace::default(),
            order: RunOrder::new(max_workers, lent),
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

    /// Queues a run; gives `done` back when it cannot be had. Where the queue is full, it may take the place of a run of a
    /// caller that has more of them: that one is the answer.
    pub fn enqueue(&mut self, request: RunRequest, done: Done, now: Instant) -> Result<Option<Done>, Refusal> {
        if self.closed {
            return Err(Refusal::Closed(done));
        }
        // What runs may start is counted by their roots.
        let is_full = request.lineage.depth == 0 && self.order.waiting_roots() >= self.queue.runs;
        let ousted = if is_full {
            let Some((ticket, queued)) = self.order.make_room(&request.caller) else { return Err(Refusal::Full(done)) };
            self.queue_deadlines.clear(ticket.run);
            Some(queued.done)
        } else {
            None
        };
        self.readiness.wake();
        let ticket = Ticket {
            run: request.run,
            lineage: request.lineage,
            tool: request.entry.clone(),
            caller: Arc::clone(&request.caller),
        };
        self.queue_deadlines.set(ticket.run, now.checked_add(self.queue.time));
        self.order.push(ticket, QueuedRun { request, attempts: 0, since: now, done });
        Ok(ousted)
    }

    /// From now on there is a worker until one has told what holds it.
    pub fn inspect(&mut self) {
        self.inspected = true;
    }

    /// What holds the workers, once one has told; `Err` when none will.
    pub fn confinement(&self) -> Result<Option<Confinement>, SandboxError> {
        if self.closed {
            return Err(SandboxError::Closed);
        }
        if self.failed_starts >= START_ATTEMPTS {
            return Err(self.last_failure.clone().unwrap_or(SandboxError::KeepsDying));
        }
        Ok(self.confinement.clone())
    }

    /// Slots for the workers that the load asks for. The caller starts them.
    pub fn reserve_workers(&mut self, now: Instant) -> Vec<WorkerId> {
        let startable = self.order.startable();
        if self.closed || self.failed_starts >= START_ATTEMPTS && startable == 0 {
            return Vec::new();
        }
        let (alive, busy) = (self.slots.alive(), self.slots.busy());
        let asked = usize::from(self.inspected && self.confinement.is_none());
        let warm = self.readiness.kept().max(asked);
        let helper = usize::from(self.pace.needs_another_worker());
        let wanted = (busy + startable.max(warm)).max(alive + helper).min(self.max_workers.max(busy + startable));
        if wanted > alive {
            self.pace.start_anew();
        }
        (alive..wanted).map(|_| self.slots.reserve(now)).collect()
    }

    /// When a worker must have come along or has been idle for long enough, or a run has waited for too long.
    pub fn next_deadline(&self) -> Option<Instant> {
        let queued = self.queue_deadline();
        self.slots.next_deadline().into_iter().chain(self.readiness.next_look(&self.slots)).chain(queued).min()
    }

    /// When a run has waited for too long; nothing while none waits.
    pub fn queue_deadline(&self) -> Option<Instant> {
        self.queue_deadlines.earliest()
    }

    /// Gives up the workers that have been idle for long enough.
    pub fn take_unneeded(&mut self, now: Instant) -> Vec<Arc<dyn Worker>> {
        let mut workers = Vec::new();
        while let Some(id) = self.readiness.take_unneeded(&self.slots, now) {
            workers.extend(self.slots.give_up(id).and_then(|given_up| given_up.worker));
        }
        workers
    }

    /// Keeps no worker ready from now on, and gives up those that are idle. The pool goes on working.
    pub fn stand_back(&mut self) -> Vec<Arc<dyn Worker>> {
        self.readiness.stand_back();
        let mut workers = Vec::new();
        while let Some((id, _)) = self.slots.longest_idle() {
            workers.extend(self.slots.give_up(id).and_then(|given_up| given_up.worker));
        }
        workers
    }

    /// Keeps workers ready again, from the next run on.
    pub fn step_forward(&mut self) {
        self.readiness.step_forward();
    }

    /// Gives a reserved slot its worker; true when it is not wanted any more.
    pub fn attach(&mut self, id: WorkerId, worker: Arc<dyn Worker>, now: Instant) -> bool {
        self.slots.attach(id, worker, now) || self.closed
    }

    /// The worker could not be started. Returns the runs that are given up.
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

    /// Pairs a waiting run with an idle worker.
    pub fn assign(&mut self, now: Instant) -> Option<Assignment> {
        let (id, worker, idle_since) = self.slots.next_idle(now)?;
        let (ticket, queued) = self.order.next()?;
        self.queue_deadlines.clear(ticket.run);
        self.pace.note_rest(now.saturating_duration_since(idle_since));
        let active = ActiveRun::new(ticket, queued, now);
        let command = active.command();
        let deadline = self.slots.occupy(id, active, now);
        Some(Assignment { worker, command, deadline })
    }

    /// Hands what a worker says about `run` to `hear`. Nothing of a worker that is given up is heard.
    pub fn hear<T>(
        &mut self,
        id: WorkerId,
        run: RunId,
        bytes: usize,
        hear: impl FnOnce(&mut ActiveRun) -> Result<T, Rogue>,
    ) -> Result<Option<T>, Rogue> {
        self.slots.hear(id, run, bytes, hear)
    }

    /// Notes whether a run waits for something outside.
    pub fn note_rest(&mut self, id: WorkerId, run: RunId, rest: Rest) -> Result<(), Rogue> {
        let ticket = self.slots.hear(id, run, 0, |active| Ok(active.ticket.clone()))?;
        if let Some(ticket) = ticket {
            self.order.note_rest(&ticket, rest);
        }
        Ok(())
    }

    /// The worker that a slot has.
    pub fn worker(&self, id: WorkerId) -> Option<Arc<dyn Worker>> {
        self.slots.worker(id)
    }

    /// Notes that a run is to end early, and gives the worker that has it. What it asks for from now on is not heard: a
    /// worker takes a moment to stop its guest.
    pub fn cancel_active(&mut self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.cancel(run)
    }

    /// Takes a run that still waits out of the queue.
    pub fn take_waiting(&mut self, run: RunId) -> Option<Done> {
        self.queue_deadlines.clear(run);
        self.order.withdraw(run).map(|queued| queued.done)
    }

    /// Takes the runs out of the queue that have waited for too long.
    pub fn take_late(&mut self, now: Instant) -> Vec<Done> {
        let mut late = Vec::new();
        while let Some(run) = self.queue_deadlines.take_due(now) {
            late.extend(self.order.withdraw(run).map(|queued| queued.done));
        }
        late
    }

    /// Ends a run that its worker has reported, and that [`hear`](Self::hear) has let through.
    pub fn finish(&mut self, id: WorkerId, end: &RunEnd, fitness: Fitness, now: Instant) -> Option<Finished> {
        let active = self.slots.take_run(id)?;
        self.order.end(&active.ticket);
        if let Some(conduct) = conduct(end) {
            self.order.note(&active.ticket.tool, conduct);
        }
        // Runs that wait have workers of their own. Those that were started for others meanwhile go when they are not needed.
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

    /// A worker has ended.
    pub fn gone(&mut self, id: WorkerId) -> Loss {
        let loss = self.give_up(id);
        self.slots.remove(id);
        loss
    }

    /// Gives up a worker that has ended or is not believed any more.
    pub fn give_up(&mut self, id: WorkerId) -> Loss {
        let Some(GivenUp { worker, was }) = self.slots.give_up(id) else { return Loss::default() };
        let loss = match was {
            SlotState::Starting => Loss { given_up: self.note_failed_start(), ..Loss::default() },
            SlotState::Idle | SlotState::Dying => Loss::default(),
            SlotState::Busy(active) => self.put_back_or_lose(*active),
        };
        Loss { worker, ..loss }
    }

    /// Gives up a worker that does not come along. One that never came to be leaves no more than its slot.
    pub fn abandon(&mut self, id: WorkerId) -> Loss {
        if self.slots.worker(id).is_none() { self.gone(id) } else { self.give_up(id) }
    }

    /// Gives up the workers that are past their deadline.
    pub fn take_overdue(&mut self, now: Instant) -> Vec<Loss> {
        let mut losses = Vec::new();
        while let Some(id) = self.slots.take_overdue(now) {
            losses.push(match self.slots.take_run(id) {
                Some(active) => Loss { run: Some(self.lose(active)), ..self.give_up(id) },
                None => self.abandon(id),
            });
        }
        losses
    }

    /// Takes no more work. Returns the workers to kill and the runs that will not happen.
    pub fn close(&mut self) -> (Vec<Arc<dyn Worker>>, Vec<Done>) {
        self.closed = true;
        let mut orphans = self.drain();
        let mut workers = Vec::new();
        for GivenUp { worker, was } in self.slots.give_up_all() {
            workers.extend(worker);
            if let SlotState::Busy(active) = was {
                self.order.end(&active.ticket);
                orphans.push(active.done);
            }
        }
        (workers, orphans)
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Whether there is no worker, and never will be one.
    pub fn is_over(&self) -> bool {
        self.closed && self.slots.is_empty()
    }

    /// A run that had not begun had no effect: it waits again, first in line.
    fn put_back_or_lose(&mut self, active: ActiveRun) -> Loss {
        let attempts = if self.closed { 0 } else { RUN_ATTEMPTS };
        match active.again(attempts) {
            Ok((ticket, queued)) => {
                self.queue_deadlines.set(ticket.run, queued.since.checked_add(self.queue.time));
                self.order.put_back(ticket, queued);
                Loss::default()
            }
            Err(active) => Loss { run: Some(self.lose(active)), ..Loss::default() },
        }
    }

    /// A run that took its worker with it.
    fn lose(&mut self, active: ActiveRun) -> ActiveRun {
        self.order.end(&active.ticket);
        self.order.note(&active.ticket.tool, Conduct::Unruly);
        active
    }

    fn note_failed_start(&mut self) -> Vec<Done> {
        self.failed_starts += 1;
        if self.failed_starts < START_ATTEMPTS {
            return Vec::new();
        }
        self.drain()
    }

    /// Takes every run that waits.
    fn drain(&mut self) -> Vec<Done> {
        self.queue_deadlines = Deadlines::default();
        self.order.drain().into_iter().map(|queued| queued.done).collect()
    }
}

/// What an end says about the tool; a cancellation says nothing.
fn conduct(end: &RunEnd) -> Option<Conduct> {
    match end {
        RunEnd::Value(_) | RunEnd::Thrown(_) | RunEnd::BadResult(_) => Some(Conduct::Orderly),
        RunEnd::CpuTimeout | RunEnd::WallTimeout | RunEnd::OutOfMemory | RunEnd::Crashed(_) => Some(Conduct::Unruly),
        RunEnd::Cancelled => None,
    }
}
