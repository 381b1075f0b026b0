//! The workers of a pool and what each of them does. No thread, no pipe, no callback is touched here.

use super::active_run::{ActiveRun, Rogue};
use super::fair_queue::Conduct;
use super::run_order::{RunOrder, Ticket};
use super::run_pace::Haste;
use crate::ids::RunId;
use crate::sandbox::confinement::Confinement;
use crate::sandbox::message::{Fitness, RunCommand, RunEnd};
use crate::sandbox::run_request::{Done, RunRequest};
use crate::sandbox::transport::Worker;
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
struct Waiting {
    request: RunRequest,
    attempts: u32,
    done: Done,
}

enum SlotState {
    Starting,
    Idle,
    Busy(Box<ActiveRun>),
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

/// Why a run was not queued.
pub enum Refusal {
    Closed(Done),
    /// As many runs wait as may wait.
    Full(Done),
}

/// A run that has ended by itself.
pub struct Finished {
    pub active: ActiveRun,
    /// The worker, when it may not be used again.
    pub dismissed: Option<Arc<dyn Worker>>,
}

/// What a worker that is given up leaves behind.
#[derive(Default)]
pub struct Loss {
    /// To be killed.
    pub worker: Option<Arc<dyn Worker>>,
    pub run: Option<ActiveRun>,
    /// Runs that nobody will start.
    pub given_up: Vec<Done>,
}

pub struct PoolState {
    slots: HashMap<WorkerId, Slot>,
    /// Idle workers and since when, the one that has rested longest first: it has had the time to prepare its next run.
    idle: VecDeque<(WorkerId, Instant)>,
    haste: Haste,
    order: RunOrder<Waiting>,
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
        Self {
            slots: HashMap::new(),
            idle: VecDeque::new(),
            haste: Haste::default(),
            order: RunOrder::new(most),
            most,
            warm: warm.min(most),
            longest_queue,
            confinement: None,
            inspected: false,
            last_id: 0,
            failed_starts: 0,
            closed: false,
            supervised: false,
        }
    }

    /// Queues a run; gives `done` back when it cannot be had.
    pub fn enqueue(&mut self, request: RunRequest, done: Done) -> Result<(), Refusal> {
        if self.closed {
            return Err(Refusal::Closed(done));
        }
        // What runs may start is counted by their roots.
        if request.lineage.depth == 0 && self.order.waiting_roots() >= self.longest_queue {
            return Err(Refusal::Full(done));
        }
        let ticket = Ticket { run: request.run, lineage: request.lineage, tool: request.entry.clone() };
        self.order.push(ticket, Waiting { request, attempts: 0, done });
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
        let startable = self.order.startable();
        if self.closed || self.failed_starts >= START_ATTEMPTS && startable == 0 {
            return Vec::new();
        }
        let (alive, busy) = (self.alive(), self.busy());
        let warm = if self.inspected && self.confinement.is_none() { self.warm.max(1) } else { self.warm };
        let help = usize::from(self.haste.asks_for_help());
        let wanted = (busy + startable.max(warm)).max(alive + help).min(self.most.max(busy + startable));
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

    fn alive(&self) -> usize {
        self.slots.values().filter(|slot| !matches!(slot.state, SlotState::Dying)).count()
    }

    fn busy(&self) -> usize {
        self.slots.values().filter(|slot| matches!(slot.state, SlotState::Busy(_))).count()
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
        let Some(slot) = self.slots.get_mut(&id) else { return true };
        slot.worker = Some(worker);
        // `Ready` may have come before this.
        if matches!(slot.state, SlotState::Idle) {
            self.idle.push_back((id, now));
        }
        self.closed || matches!(slot.state, SlotState::Dying)
    }

    /// The worker could not be started. Returns the runs that are given up.
    pub fn start_failed(&mut self, id: WorkerId) -> Vec<Done> {
        if self.slots.remove(&id).is_some() { self.note_failed_start() } else { Vec::new() }
    }

    pub fn ready(&mut self, id: WorkerId, confinement: Confinement, now: Instant) -> Result<(), Rogue> {
        let Some(slot) = self.slots.get_mut(&id) else { return Ok(()) };
        match slot.state {
            SlotState::Dying => return Ok(()),
            SlotState::Idle | SlotState::Busy(_) => return Err(Rogue),
            SlotState::Starting => {}
        }
        self.failed_starts = 0;
        self.confinement = Some(confinement);
        slot.state = SlotState::Idle;
        slot.deadline = None;
        if slot.worker.is_some() {
            self.idle.push_back((id, now));
        }
        Ok(())
    }

    /// Pairs a waiting run with an idle worker.
    pub fn assign(&mut self, now: Instant) -> Option<Assignment> {
        let (id, idle_since) = self.idle.front().copied()?;
        let slot = self.slots.get_mut(&id)?;
        let worker = slot.worker.clone()?;
        let (ticket, Waiting { request, attempts, done }) = self.order.next()?;
        self.idle.pop_front();
        self.haste.note(now.saturating_duration_since(idle_since));
        let active = ActiveRun::new(ticket, request, attempts, done, now);
        let command = active.command();
        slot.deadline = now.checked_add(active.wall() + WALL_GRACE);
        slot.state = SlotState::Busy(Box::new(active));
        Some(Assignment { worker, command })
    }

    /// Hands what a worker says about `run` to `hear`. Nothing of a worker that is given up is heard.
    pub fn hear<T>(
        &mut self,
        id: WorkerId,
        run: RunId,
        bytes: usize,
        hear: impl FnOnce(&mut ActiveRun) -> Result<T, Rogue>,
    ) -> Result<Option<T>, Rogue> {
        match self.slots.get_mut(&id).map(|slot| &mut slot.state) {
            None | Some(SlotState::Dying) => Ok(None),
            Some(SlotState::Busy(active)) if active.ticket.run == run => {
                active.count_frame(bytes)?;
                hear(active).map(Some)
            }
            Some(SlotState::Busy(_) | SlotState::Starting | SlotState::Idle) => Err(Rogue),
        }
    }

    /// The worker that a slot has.
    pub fn worker(&self, id: WorkerId) -> Option<Arc<dyn Worker>> {
        self.slots.get(&id)?.worker.clone()
    }

    /// Notes that a run is to end early, and gives the worker that has it. What it asks for from now on is not heard: a
    /// worker takes a moment to stop its guest.
    pub fn cancel_active(&mut self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.values_mut().find_map(|slot| match &mut slot.state {
            SlotState::Busy(active) if active.ticket.run == run => {
                active.cancel();
                slot.worker.clone()
            }
            SlotState::Busy(_) | SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
        })
    }

    /// Takes a run that still waits out of the queue.
    pub fn take_waiting(&mut self, run: RunId) -> Option<Done> {
        self.order.withdraw(run).map(|waiting| waiting.done)
    }

    /// Ends a run that its worker has reported, and that [`hear`](Self::hear) has let through.
    pub fn finish(&mut self, id: WorkerId, end: &RunEnd, fitness: Fitness, now: Instant) -> Option<Finished> {
        let active = self.take_run(id)?;
        self.order.end(&active.ticket);
        if let Some(conduct) = conduct(end) {
            self.order.note(&active.ticket.tool, conduct);
        }
        // Runs that wait for others have workers of their own. Those that were started for them go when they are not needed.
        let wanted = self.most.max(self.busy() + self.order.startable());
        // The worker itself counts as dying until it is found fit.
        let surplus = self.alive() + 1 > wanted;
        let slot = self.slots.get_mut(&id)?;
        slot.deadline = None;
        let dismissed = match fitness {
            Fitness::Reusable if !surplus => {
                slot.state = SlotState::Idle;
                self.idle.push_back((id, now));
                None
            }
            Fitness::Reusable | Fitness::Spent => slot.worker.clone(),
        };
        Some(Finished { active, dismissed })
    }

    /// The run of a worker, which has none from now on and gets no other.
    fn take_run(&mut self, id: WorkerId) -> Option<ActiveRun> {
        let slot = self.slots.get_mut(&id)?;
        match std::mem::replace(&mut slot.state, SlotState::Dying) {
            SlotState::Busy(active) => Some(*active),
            other @ (SlotState::Starting | SlotState::Idle | SlotState::Dying) => {
                slot.state = other;
                None
            }
        }
    }

    /// A worker has ended.
    pub fn gone(&mut self, id: WorkerId) -> Loss {
        let loss = self.give_up(id);
        self.slots.remove(&id);
        loss
    }

    /// Gives up a worker that has ended or is not believed any more.
    pub fn give_up(&mut self, id: WorkerId) -> Loss {
        self.idle.retain(|(idle, _)| *idle != id);
        let Some(slot) = self.slots.get_mut(&id) else { return Loss::default() };
        let worker = slot.worker.clone();
        slot.deadline = None;
        let loss = match std::mem::replace(&mut slot.state, SlotState::Dying) {
            SlotState::Starting => Loss { given_up: self.note_failed_start(), ..Loss::default() },
            SlotState::Idle | SlotState::Dying => Loss::default(),
            SlotState::Busy(active) => self.put_back_or_lose(*active),
        };
        Loss { worker, ..loss }
    }

    /// Gives up a worker that does not come along. One that never came to be leaves no more than its slot.
    pub fn abandon(&mut self, id: WorkerId) -> Loss {
        if self.worker(id).is_none() { self.gone(id) } else { self.give_up(id) }
    }

    /// A run that had not begun had no effect: it waits again, first in line.
    fn put_back_or_lose(&mut self, active: ActiveRun) -> Loss {
        let attempts = if self.closed { 0 } else { RUN_ATTEMPTS };
        match active.again(attempts) {
            Ok((ticket, request, attempts, done)) => {
                self.order.put_back(ticket, Waiting { request, attempts, done });
                Loss::default()
            }
            Err(active) => {
                self.order.end(&active.ticket);
                self.order.note(&active.ticket.tool, Conduct::Unruly);
                Loss { run: Some(active), ..Loss::default() }
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
        self.order.drain().into_iter().map(|waiting| waiting.done).collect()
    }

    /// Gives up the workers that are past their deadline.
    pub fn take_overdue(&mut self, now: Instant) -> Vec<Loss> {
        let late = |slot: &Slot| slot.deadline.is_some_and(|deadline| deadline <= now);
        let overdue: Vec<WorkerId> = self.slots.iter().filter(|(_, slot)| late(slot)).map(|(id, _)| *id).collect();
        let mut losses = Vec::new();
        for id in overdue {
            losses.push(match self.take_run(id) {
                Some(active) => {
                    self.order.end(&active.ticket);
                    self.order.note(&active.ticket.tool, Conduct::Unruly);
                    Loss { run: Some(active), ..self.give_up(id) }
                }
                None => self.abandon(id),
            });
        }
        losses
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
                self.order.end(&active.ticket);
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
