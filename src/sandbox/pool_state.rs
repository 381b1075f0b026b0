//! Everything a pool knows, and every decision it takes. No thread, no pipe, no callback is touched here.

use super::host::Host;
use super::message::{Fitness, RunCommand};
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

/// A run that waits for a worker.
pub struct Waiting {
    request: RunRequest,
    attempts: u32,
    pub done: Done,
}

/// A run that a worker has.
pub struct Active {
    run: RunId,
    host: Arc<dyn Host>,
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
    /// Idle workers, the warmest last.
    idle: Vec<WorkerId>,
    queue: VecDeque<Waiting>,
    most: usize,
    warm: usize,
    last_id: u64,
    failed_starts: u32,
    closed: bool,
    supervised: bool,
}

impl PoolState {
    pub fn new(most: usize, warm: usize) -> Self {
        Self { most, warm: warm.min(most), ..Self::default() }
    }

    /// Queues a run; gives `done` back when the pool is closed.
    pub fn enqueue(&mut self, request: RunRequest, done: Done) -> Option<Done> {
        if self.closed {
            return Some(done);
        }
        self.queue.push_back(Waiting { request, attempts: 0, done });
        None
    }

    /// Slots for the workers that the load asks for. The caller starts them.
    pub fn reserve_workers(&mut self, now: Instant) -> Vec<WorkerId> {
        if self.closed || self.failed_starts >= START_ATTEMPTS && self.queue.is_empty() {
            return Vec::new();
        }
        let alive = self.slots.values().filter(|slot| !matches!(slot.state, SlotState::Dying)).count();
        let busy = self.slots.values().filter(|slot| matches!(slot.state, SlotState::Busy(_))).count();
        let wanted = (busy + self.queue.len().max(self.warm)).min(self.most);
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
    pub fn attach(&mut self, id: WorkerId, worker: Arc<dyn Worker>) -> bool {
        match self.slots.get_mut(&id) {
            Some(slot) => {
                slot.worker = Some(worker);
                // `Ready` may have come before this.
                if matches!(slot.state, SlotState::Idle) {
                    self.idle.push(id);
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

    pub fn ready(&mut self, id: WorkerId) {
        self.failed_starts = 0;
        if let Some(slot) = self.slots.get_mut(&id)
            && matches!(slot.state, SlotState::Starting)
        {
            slot.state = SlotState::Idle;
            slot.deadline = None;
            if slot.worker.is_some() {
                self.idle.push(id);
            }
        }
    }

    /// Pairs a waiting run with an idle worker.
    pub fn assign(&mut self, now: Instant) -> Option<Assignment> {
        if self.queue.is_empty() {
            return None;
        }
        let id = self.idle.pop()?;
        let slot = self.slots.get_mut(&id)?;
        let worker = slot.worker.clone()?;
        let Waiting { request, attempts, done } = self.queue.pop_front()?;
        let command = RunCommand {
            run: request.run,
            entry: request.entry.clone(),
            modules: Arc::clone(&request.modules),
            args_json: Arc::clone(&request.args_json),
            api: Arc::clone(&request.api),
            limits: request.limits,
            seed: request.seed,
        };
        slot.deadline = now.checked_add(request.limits.wall + WALL_GRACE);
        slot.state = SlotState::Busy(Box::new(Active {
            run: request.run,
            host: Arc::clone(&request.host),
            begun: false,
            again: Some((request, attempts)),
            logs: Vec::new(),
            done,
        }));
        Some(Assignment { worker, command })
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
        if let Some(active) = self.active(id, run) {
            active.logs.push(line);
        }
    }

    pub fn host_of(&mut self, id: WorkerId, run: RunId) -> Option<(Arc<dyn Host>, Arc<dyn Worker>)> {
        let host = Arc::clone(&self.active(id, run)?.host);
        Some((host, self.slots.get(&id)?.worker.clone()?))
    }

    /// The worker that has this run.
    pub fn worker_of(&self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.values().find_map(|slot| match &slot.state {
            SlotState::Busy(active) if active.run == run => slot.worker.clone(),
            SlotState::Busy(_) | SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
        })
    }

    /// Takes a run that still waits out of the queue.
    pub fn take_waiting(&mut self, run: RunId) -> Option<Waiting> {
        let place = self.queue.iter().position(|waiting| waiting.request.run == run)?;
        self.queue.remove(place)
    }

    /// Ends a run that its worker has reported. `None` when it was ended before.
    pub fn finish(&mut self, id: WorkerId, run: RunId, fitness: Fitness) -> Option<Finished> {
        let slot = self.slots.get_mut(&id)?;
        match std::mem::replace(&mut slot.state, SlotState::Dying) {
            SlotState::Busy(active) if active.run == run => {
                slot.deadline = None;
                let dismissed = match fitness {
                    Fitness::Reusable => {
                        slot.state = SlotState::Idle;
                        self.idle.push(id);
                        None
                    }
                    Fitness::Spent => slot.worker.clone(),
                };
                Some(Finished { active: *active, dismissed })
            }
            other => {
                slot.state = other;
                None
            }
        }
    }

    /// A worker has ended.
    pub fn gone(&mut self, id: WorkerId) -> Loss {
        self.idle.retain(|idle| *idle != id);
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
                self.queue.push_front(Waiting { request, attempts: attempts + 1, done: active.done });
                Loss::default()
            }
            None => Loss { crashed: Some(active), given_up: Vec::new() },
        }
    }

    fn note_failed_start(&mut self) -> Vec<Done> {
        self.failed_starts += 1;
        if self.failed_starts < START_ATTEMPTS {
            return Vec::new();
        }
        self.queue.drain(..).map(|waiting| waiting.done).collect()
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
                SlotState::Busy(active) => Some(*active),
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
        let mut orphans: Vec<Done> = self.queue.drain(..).map(|waiting| waiting.done).collect();
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
