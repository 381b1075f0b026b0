//! The workers of a pool and their states.

use super::active_run::{ActiveRun, Rogue};
use super::deadlines::Deadlines;
use crate::transport::Worker;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(u64);

/// How long a worker may take to become ready.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// Idle time after which a worker has prepared its next realm.
const PREPARED: Duration = Duration::from_millis(20);
/// How long after the wall limit a worker is killed from outside.
const WALL_GRACE: Duration = Duration::from_secs(1);

pub enum SlotState {
    Starting,
    Idle,
    Busy(Box<ActiveRun>),
    /// Killed or ending by itself; it counts until it has ended.
    Dying,
}

struct Slot {
    worker: Option<Arc<dyn Worker>>,
    state: SlotState,
}

/// A worker that was given up, and its state before.
pub struct GivenUp {
    pub worker: Option<Arc<dyn Worker>>,
    pub was: SlotState,
}

#[derive(Default)]
pub struct WorkerSlots {
    slots: HashMap<WorkerId, Slot>,
    /// Idle workers and the start of their idle time, the longest idle first.
    idle: VecDeque<(WorkerId, Instant)>,
    deadlines: Deadlines<WorkerId>,
    last_id: u64,
}

impl WorkerSlots {
    /// Number of workers that are not dying.
    pub fn alive(&self) -> usize {
        self.slots.values().filter(|slot| !matches!(slot.state, SlotState::Dying)).count()
    }

    pub fn busy(&self) -> usize {
        self.slots.values().filter(|slot| matches!(slot.state, SlotState::Busy(_))).count()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// The earliest deadline of a worker.
    pub fn next_deadline(&self) -> Option<Instant> {
        self.deadlines.earliest()
    }

    /// The next worker that is past its deadline.
    pub fn take_overdue(&mut self, now: Instant) -> Option<WorkerId> {
        self.deadlines.take_due(now)
    }

    /// A slot for a worker that is about to be started.
    pub fn reserve(&mut self, now: Instant) -> WorkerId {
        self.last_id += 1;
        let id = WorkerId(self.last_id);
        self.slots.insert(id, Slot { worker: None, state: SlotState::Starting });
        self.deadlines.set(id, now.checked_add(START_TIMEOUT));
        id
    }

    /// Sets the worker of a reserved slot; true if the worker is no longer needed.
    pub fn attach(&mut self, id: WorkerId, worker: Arc<dyn Worker>, now: Instant) -> bool {
        let Some(slot) = self.slots.get_mut(&id) else { return true };
        slot.worker = Some(worker);
        // `Ready` may have arrived before this.
        if matches!(slot.state, SlotState::Idle) {
            self.idle.push_back((id, now));
        }
        matches!(slot.state, SlotState::Dying)
    }

    /// Marks a worker as ready; false if it was given up.
    pub fn ready(&mut self, id: WorkerId, now: Instant) -> Result<bool, Rogue> {
        let Some(slot) = self.slots.get_mut(&id) else { return Ok(false) };
        match slot.state {
            SlotState::Dying => return Ok(false),
            SlotState::Idle | SlotState::Busy(_) => return Err(Rogue),
            SlotState::Starting => {}
        }
        slot.state = SlotState::Idle;
        if slot.worker.is_some() {
            self.idle.push_back((id, now));
        }
        self.deadlines.clear(id);
        Ok(true)
    }

    /// The idle worker for the next run, and the start of its idle time: the most recently used of the prepared ones, so that the
    /// others become unneeded; if none is prepared, the longest idle.
    pub fn next_idle(&self, now: Instant) -> Option<(WorkerId, Arc<dyn Worker>, Instant)> {
        let is_prepared = |(_, since): &&(WorkerId, Instant)| now.saturating_duration_since(*since) >= PREPARED;
        let (id, since) = self.idle.iter().rev().find(is_prepared).or_else(|| self.idle.front()).copied()?;
        Some((id, self.worker(id)?, since))
    }

    pub fn idle(&self) -> usize {
        self.idle.len()
    }

    /// The longest idle worker, and the start of its idle time.
    pub fn longest_idle(&self) -> Option<(WorkerId, Instant)> {
        self.idle.front().copied()
    }

    /// The start of the shortest idle time.
    pub fn last_rest(&self) -> Option<Instant> {
        self.idle.back().map(|(_, since)| *since)
    }

    /// Assigns a run to an idle worker. Returns the deadline of the run.
    pub fn occupy(&mut self, id: WorkerId, run: ActiveRun, now: Instant) -> Option<Instant> {
        self.idle.retain(|(idle, _)| *idle != id);
        let deadline = now.checked_add(run.wall() + WALL_GRACE);
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.state = SlotState::Busy(Box::new(run));
            self.deadlines.set(id, deadline);
        }
        deadline
    }

    /// Passes a worker's message about `run` to `handle`. Messages of given-up workers are ignored.
    pub fn accept<T>(
        &mut self,
        id: WorkerId,
        run: RunId,
        bytes: usize,
        handle: impl FnOnce(&mut ActiveRun) -> Result<T, Rogue>,
    ) -> Result<Option<T>, Rogue> {
        match self.slots.get_mut(&id).map(|slot| &mut slot.state) {
            None | Some(SlotState::Dying) => Ok(None),
            Some(SlotState::Busy(active)) if active.scheduled.run == run => {
                active.count_frame(bytes)?;
                handle(active).map(Some)
            }
            Some(SlotState::Busy(_) | SlotState::Starting | SlotState::Idle) => Err(Rogue),
        }
    }

    /// The worker of a slot.
    pub fn worker(&self, id: WorkerId) -> Option<Arc<dyn Worker>> {
        self.slots.get(&id)?.worker.clone()
    }

    /// Marks a run as cancelled, and returns its worker.
    pub fn cancel(&mut self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.values_mut().find_map(|slot| match &mut slot.state {
            SlotState::Busy(active) if active.scheduled.run == run => {
                active.cancel();
                slot.worker.clone()
            }
            SlotState::Busy(_) | SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
        })
    }

    /// Takes the run of a worker, which gets no other until [`rest`](Self::rest).
    pub fn take_run(&mut self, id: WorkerId) -> Option<ActiveRun> {
        let slot = self.slots.get_mut(&id)?;
        match std::mem::replace(&mut slot.state, SlotState::Dying) {
            SlotState::Busy(active) => {
                self.deadlines.clear(id);
                Some(*active)
            }
            other @ (SlotState::Starting | SlotState::Idle | SlotState::Dying) => {
                slot.state = other;
                None
            }
        }
    }

    /// Makes a worker whose run was taken idle again.
    pub fn rest(&mut self, id: WorkerId, now: Instant) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.state = SlotState::Idle;
            self.idle.push_back((id, now));
        }
    }

    /// Gives up a worker. Its slot counts until the worker has ended.
    pub fn give_up(&mut self, id: WorkerId) -> Option<GivenUp> {
        self.idle.retain(|(idle, _)| *idle != id);
        self.deadlines.clear(id);
        let slot = self.slots.get_mut(&id)?;
        let was = std::mem::replace(&mut slot.state, SlotState::Dying);
        Some(GivenUp { worker: slot.worker.clone(), was })
    }

    /// Removes the slot of a worker that has ended or never started; true if there was one.
    pub fn remove(&mut self, id: WorkerId) -> bool {
        self.idle.retain(|(idle, _)| *idle != id);
        self.deadlines.clear(id);
        self.slots.remove(&id).is_some()
    }

    /// Gives up all workers. Their deadlines are kept: a worker that does not end is killed again.
    pub fn give_up_all(&mut self) -> Vec<GivenUp> {
        self.idle.clear();
        let slots = self.slots.values_mut();
        slots
            .map(|slot| GivenUp {
                worker: slot.worker.clone(),
                was: std::mem::replace(&mut slot.state, SlotState::Dying),
            })
            .collect()
    }
}
