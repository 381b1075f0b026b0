//! Everything a pool knows, and every decision it takes. No thread, no pipe, no callback is touched here.

use super::confinement::Confinement;
use super::fair_queue::{Class, Conduct, FairQueue, UnrulyShare};
use super::haste::Haste;
use super::host::{Host, Pending};
use super::message::{Fitness, RunCommand, RunEnd, RunStats};
use super::run_request::{Done, LogLine, RunRequest};
use super::transport::Worker;
use crate::ids::RunId;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct WorkerId(u64);

/// How long a worker may take to be ready.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// What a worker gets beyond the wall limit before it is killed from outside.
const WALL_GRACE: Duration = Duration::from_secs(1);
/// Workers that die before they are ready, in a row, until waiting runs are given up.
const START_ATTEMPTS: u32 = 3;
/// How often a run whose worker died before it began is put back.
const RUN_ATTEMPTS: u32 = 3;
/// Room in a run's log for the mark that it was cut.
const LOG_SLACK: usize = 128;

/// A run that waits for a worker.
pub struct Waiting {
    request: RunRequest,
    attempts: u32,
    pub done: Done,
}

/// A run that a worker has.
pub struct Active {
    run: RunId,
    tool: String,
    class: Class,
    host: Arc<dyn Host>,
    pending: Pending,
    most_pending: usize,
    host_calls: u32,
    cancelled: bool,
    log_left: usize,
    since: Instant,
    begun: bool,
    /// Kept until the run has begun, so that it can be put back.
    again: Option<(RunRequest, u32)>,
    pub logs: Vec<LogLine>,
    pub done: Done,
}

enum SlotState {
    Starting,
    Idle,
    Busy(Box<Active>),
    /// Killed or leaving by itself; it counts until it is gone.
    Dying,
}

struct Slot {
    worker: Option<Arc<dyn Worker>>,
    state: SlotState,
    deadline: Option<Instant>,
}

/// A run for a worker.
pub struct Assignment {
    pub worker: Arc<dyn Worker>,
    pub command: RunCommand,
}

impl Active {
    /// What is known about a run whose worker could not tell.
    pub fn stats(&self) -> RunStats {
        RunStats {
            wall_ms: self.since.elapsed().as_secs_f64() * 1e3,
            host_calls: self.host_calls,
            ..RunStats::default()
        }
    }
}

/// Why a run was not queued.
pub enum Refusal {
    Closed(Done),
    /// As many runs wait as may wait.
    Full(Done),
}

/// Where a question goes.
pub enum Asked {
    Host {
        host: Arc<dyn Host>,
        worker: Arc<dyn Worker>,
        pending: Pending,
    },
    /// An engine counts the open questions of its run. One that lets too many through is not the engine we started.
    Rogue(Arc<dyn Worker>),
}

/// A run that has ended by itself.
pub struct Finished {
    pub active: Active,
    /// The worker, when it may not be used again.
    pub dismissed: Option<Arc<dyn Worker>>,
}

/// What a worker's death leaves behind.
#[derive(Default)]
pub struct Loss {
    pub crashed: Option<Active>,
    pub given_up: Vec<Done>,
}

#[derive(Default)]
pub struct PoolState {
    slots: HashMap<WorkerId, Slot>,
    /// Idle workers and since when, the one that has rested longest first: it has had the time to prepare its next run.
    idle: VecDeque<(WorkerId, Instant)>,
    haste: Haste,
    queue: FairQueue<Waiting>,
    /// Runs that other runs wait for, the deepest first. They need no turn: whoever waits for them has had it.
    nested: VecDeque<Waiting>,
    most: usize,
    warm: usize,
    longest_queue: usize,
    confinement: Option<Confinement>,
    inspected: bool,
    last_id: u64,
    failed_starts: u32,
    closed: bool,
    supervised: bool,
}

impl PoolState {
    pub fn new(most: usize, warm: usize, longest_queue: usize) -> Self {
        Self { most, warm: warm.min(most), longest_queue, ..Self::default() }
    }

    /// Queues a run; gives `done` back when it cannot be had.
    pub fn enqueue(&mut self, request: RunRequest, done: Done) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Closed(done));
        }
        if request.depth > 0 {
            self.insert_nested(Waiting { request, attempts: 0, done });
            return Ok(());
        }
        if self.queue.len() >= self.longest_queue {
            return Err(Refusal::Full(done));
        }
        let tool = request.entry.clone();
        self.queue.push(&tool, Waiting { request, attempts: 0, done });
        Ok(())
    }

    /// From now on there is a worker until one has told what holds it.
    pub fn inspect(&mut self) {
        self.inspected = true;
    }

    /// What holds the workers, once one has told; `Err` when none will.
    pub fn confinement(&self) -> Result<Option<Confinement>, ()> {
        if self.closed || self.failed_starts >= START_ATTEMPTS { Err(()) } else { Ok(self.confinement) }
    }

    /// Slots for the workers that the load asks for. The caller starts them.
    pub fn reserve_workers(&mut self, now: Instant) -> Vec<WorkerId> {
        let waiting = self.queue.len() + self.nested.len();
        if self.closed || self.failed_starts >= START_ATTEMPTS && waiting == 0 {
            return Vec::new();
        }
        let alive = self.slots.values().filter(|slot| !matches!(slot.state, SlotState::Dying)).count();
        let busy = self.busy();
        let warm = if self.inspected && self.confinement.is_none() { self.warm.max(1) } else { self.warm };
        let help = usize::from(self.haste.asks_for_help());
        let wanted = (busy + waiting.max(warm)).max(alive + help).min(self.most_for_next());
        if wanted > alive {
            self.haste.relieve();
        }
        (alive..wanted)
            .map(|_| {
                self.last_id += 1;
                let id = WorkerId(self.last_id);
                let deadline = now.checked_add(START_TIMEOUT);
                self.slots.insert(id, Slot { worker: None, state: SlotState::Starting, deadline });
                id
            })
            .collect()
    }

    fn busy(&self) -> usize {
        self.slots.values().filter(|slot| matches!(slot.state, SlotState::Busy(_))).count()
    }

    /// How many workers may be at work for the next run: each level of nesting has one that outer levels cannot take, so
    /// that runs which wait for each other always come to an end.
    fn most_for_next(&self) -> usize {
        self.most + self.nested.front().map_or(0, |waiting| waiting.request.depth as usize)
    }

    fn insert_nested(&mut self, waiting: Waiting) {
        let place = self.nested.iter().position(|other| other.request.depth < waiting.request.depth);
        self.nested.insert(place.unwrap_or(self.nested.len()), waiting);
    }

    /// True when the caller must start the supervisor.
    pub fn claim_supervisor(&mut self) -> bool {
        !std::mem::replace(&mut self.supervised, true)
    }

    pub fn release_supervisor(&mut self) {
        self.supervised = false;
    }

    /// True when nothing is left to supervise and the pool takes no more work.
    pub fn may_release_supervisor(&mut self) -> bool {
        let idle = self.closed && self.slots.is_empty();
        if idle {
            self.supervised = false;
        }
        idle
    }

    /// Gives a reserved slot its worker; true when nobody wants it any more.
    pub fn attach(&mut self, id: WorkerId, worker: Arc<dyn Worker>, now: Instant) -> bool {
        match self.slots.get_mut(&id) {
            Some(slot) => {
                slot.worker = Some(worker);
                // `Ready` may have come before this.
                if matches!(slot.state, SlotState::Idle) {
                    self.idle.push_back((id, now));
                }
                self.closed
            }
            None => true,
        }
    }

    /// The worker could not be started. Returns the runs that are given up.
    pub fn start_failed(&mut self, id: WorkerId) -> Vec<Done> {
        self.slots.remove(&id);
        self.note_failed_start()
    }

    pub fn ready(&mut self, id: WorkerId, confinement: Confinement, now: Instant) {
        self.failed_starts = 0;
        self.confinement = Some(confinement);
        if let Some(slot) = self.slots.get_mut(&id)
            && matches!(slot.state, SlotState::Starting)
        {
            slot.state = SlotState::Idle;
            slot.deadline = None;
            if slot.worker.is_some() {
                self.idle.push_back((id, now));
            }
        }
    }

    /// Pairs a waiting run with an idle worker.
    pub fn assign(&mut self, now: Instant) -> Option<Assignment> {
        let (id, idle_since) = self.idle.front().copied().filter(|_| self.busy() < self.most_for_next())?;
        let share = self.unruly_share();
        let slot = self.slots.get_mut(&id)?;
        let worker = slot.worker.clone()?;
        let Waiting { request, attempts, done } = self.nested.pop_front().or_else(|| self.queue.pop(share))?;
        let class = self.queue.class_of(&request.entry);
        self.idle.pop_front();
        self.haste.note(now.saturating_duration_since(idle_since));
        let command = RunCommand {
            run: request.run,
            entry: request.entry.clone(),
            modules: Arc::clone(&request.modules),
            packages: request.packages.clone(),
            args_json: Arc::clone(&request.args_json),
            api: Arc::clone(&request.api),
            limits: request.limits,
            seed: request.seed,
            now: request.now,
        };
        slot.deadline = now.checked_add(request.limits.wall + WALL_GRACE);
        slot.state = SlotState::Busy(Box::new(Active {
            run: request.run,
            tool: request.entry.clone(),
            class,
            host: Arc::clone(&request.host),
            pending: Pending::default(),
            most_pending: request.limits.host_calls as usize,
            host_calls: 0,
            cancelled: false,
            log_left: (request.limits.log_bytes as usize).saturating_add(LOG_SLACK),
            since: now,
            begun: false,
            again: Some((request, attempts)),
            logs: Vec::new(),
            done,
        }));
        Some(Assignment { worker, command })
    }

    /// Tools that misbehaved may not have every worker: one is kept for the others, where there is more than one.
    fn unruly_share(&self) -> UnrulyShare {
        let held = self
            .slots
            .values()
            .filter(|slot| matches!(&slot.state, SlotState::Busy(active) if active.class == Class::Unruly))
            .count();
        if held < self.most.saturating_sub(1).max(1) { UnrulyShare::Open } else { UnrulyShare::Full }
    }

    fn active(&mut self, id: WorkerId, run: RunId) -> Option<&mut Active> {
        match &mut self.slots.get_mut(&id)?.state {
            SlotState::Busy(active) if active.run == run => Some(active),
            SlotState::Busy(_) | SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
        }
    }

    pub fn started(&mut self, id: WorkerId, run: RunId) {
        if let Some(active) = self.active(id, run) {
            active.begun = true;
            active.again = None;
        }
    }

    pub fn log(&mut self, id: WorkerId, run: RunId, line: LogLine) {
        // The worker cuts its log itself; one that does not is not believed.
        if let Some(active) = self.active(id, run)
            && let Some(left) = active.log_left.checked_sub(line.message.len().max(1))
        {
            active.log_left = left;
            active.logs.push(line);
        }
    }

    /// Whom a question goes to.
    pub fn asked(&mut self, id: WorkerId, run: RunId) -> Option<Asked> {
        let worker = self.slots.get(&id)?.worker.clone()?;
        let active = self.active(id, run).filter(|active| !active.cancelled)?;
        active.host_calls = active.host_calls.saturating_add(1);
        // One more than waits for promises: a question that the guest's thread waits for.
        let open = Arc::strong_count(&active.pending) - 1;
        if open > active.most_pending {
            return Some(Asked::Rogue(worker));
        }
        Some(Asked::Host { host: Arc::clone(&active.host), worker, pending: Arc::clone(&active.pending) })
    }

    /// Notes that a run is to end early, and gives the worker that has it. What it asks for from now on is not heard: a
    /// worker takes a moment to stop its guest.
    pub fn cancel_active(&mut self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.values_mut().find_map(|slot| match &mut slot.state {
            SlotState::Busy(active) if active.run == run => {
                active.cancelled = true;
                slot.worker.clone()
            }
            SlotState::Busy(_) | SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
        })
    }

    /// Takes a run that still waits out of the queue.
    pub fn take_waiting(&mut self, run: RunId) -> Option<Waiting> {
        if let Some(place) = self.nested.iter().position(|waiting| waiting.request.run == run) {
            return self.nested.remove(place);
        }
        self.queue.remove(|waiting| waiting.request.run == run)
    }

    /// Ends a run that its worker has reported. `None` when it was ended before.
    pub fn finish(
        &mut self,
        id: WorkerId,
        run: RunId,
        end: &RunEnd,
        fitness: Fitness,
        now: Instant,
    ) -> Option<Finished> {
        let alive = self.slots.values().filter(|slot| !matches!(slot.state, SlotState::Dying)).count();
        let fitness = if alive > self.most_for_next() { Fitness::Spent } else { fitness };
        let slot = self.slots.get_mut(&id)?;
        match std::mem::replace(&mut slot.state, SlotState::Dying) {
            SlotState::Busy(active) if active.run == run => {
                slot.deadline = None;
                if let Some(conduct) = conduct(end) {
                    self.queue.note(&active.tool, conduct);
                }
                let dismissed = match fitness {
                    Fitness::Reusable => {
                        slot.state = SlotState::Idle;
                        self.idle.push_back((id, now));
                        None
                    }
                    Fitness::Spent => slot.worker.clone(),
                };
                Some(Finished { active: *active, dismissed })
            }
            other @ (SlotState::Starting | SlotState::Idle | SlotState::Busy(_) | SlotState::Dying) => {
                slot.state = other;
                None
            }
        }
    }

    /// A worker has ended.
    pub fn gone(&mut self, id: WorkerId) -> Loss {
        self.idle.retain(|(idle, _)| *idle != id);
        let Some(slot) = self.slots.remove(&id) else { return Loss::default() };
        match slot.state {
            SlotState::Starting => Loss { crashed: None, given_up: self.note_failed_start() },
            SlotState::Idle | SlotState::Dying => Loss::default(),
            SlotState::Busy(active) => self.put_back_or_lose(*active),
        }
    }

    /// A run that had not begun had no effect: it waits again, first in line.
    fn put_back_or_lose(&mut self, mut active: Active) -> Loss {
        match active.again.take().filter(|(_, attempts)| !active.begun && *attempts < RUN_ATTEMPTS && !self.closed) {
            Some((request, attempts)) => {
                let waiting = Waiting { request, attempts: attempts + 1, done: active.done };
                if waiting.request.depth > 0 {
                    self.insert_nested(waiting);
                } else {
                    self.queue.push_front(&active.tool, waiting);
                }
                Loss::default()
            }
            None => {
                self.queue.note(&active.tool, Conduct::Unruly);
                Loss { crashed: Some(active), given_up: Vec::new() }
            }
        }
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
        let nested = std::mem::take(&mut self.nested);
        nested.into_iter().chain(self.queue.drain()).map(|waiting| waiting.done).collect()
    }

    /// Workers past their deadline, with the runs they had.
    pub fn take_overdue(&mut self, now: Instant) -> Vec<(Arc<dyn Worker>, Option<Active>)> {
        let mut overdue = Vec::new();
        for slot in self.slots.values_mut() {
            if slot.deadline.is_none_or(|deadline| deadline > now) {
                continue;
            }
            let Some(worker) = slot.worker.clone() else { continue };
            slot.deadline = None;
            let active = match std::mem::replace(&mut slot.state, SlotState::Dying) {
                SlotState::Busy(active) => {
                    self.queue.note(&active.tool, Conduct::Unruly);
                    Some(*active)
                }
                SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
            };
            overdue.push((worker, active));
        }
        overdue
    }

    /// Takes no more work. Returns the workers to kill and the runs that will not happen.
    pub fn close(&mut self) -> (Vec<Arc<dyn Worker>>, Vec<Done>) {
        self.closed = true;
        self.idle.clear();
        let mut orphans = self.drain();
        let mut workers = Vec::new();
        for slot in self.slots.values_mut() {
            workers.extend(slot.worker.clone());
            if let SlotState::Busy(active) = std::mem::replace(&mut slot.state, SlotState::Dying) {
                orphans.push(active.done);
            }
        }
        (workers, orphans)
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
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
