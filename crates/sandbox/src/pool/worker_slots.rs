//! The workers of a pool and what each of them does.

use super::active_run::{ActiveRun, Rogue};
use super::deadlines::Deadlines;
use crate::transport::Worker;
use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(u64);

/// How long a worker may take to be ready.
const START_TIMEOUT: Duration = Duration::from_secs(15);
/// An idle worker that has rested for this long has prepared its next run.
const PREPARED: Duration = Duration::from_millis(20);
/// What a worker gets beyond the wall limit before it is killed from outside.
const WALL_GRACE: Duration = Duration::from_secs(1);

pub enum SlotState {
    Starting,
    Idle,
    Busy(Box<ActiveRun>),
    /// Killed or leaving by itself; it counts until it is gone.
    Dying,
}

struct Slot {
    worker: Option<Arc<dyn Worker>>,
    state: SlotState,
}

/// A worker that was given up, and what it was doing.
pub struct GivenUp {
    pub worker: Option<Arc<dyn Worker>>,
    pub was: SlotState,
}

#[derive(Default)]
pub struct WorkerSlots {
    slots: HashMap<WorkerId, Slot>,
    /// Idle workers and since when, the one that has rested longest first.
    idle: VecDeque<(WorkerId, Instant)>,
    deadlines: Deadlines<WorkerId>,
    last_id: u64,
}

impl WorkerSlots {
    /// Workers that are not about to leave.
    pub fn alive(&self) -> usize {
        self.slots.values().filter(|slot| !matches!(slot.state, SlotState::Dying)).count()
    }

    pub fn busy(&self) -> usize {
        self.slots.values().filter(|slot| matches!(slot.state, SlotState::Busy(_))).count()
    }

    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// When the first of them must have come along.
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

    /// Gives a reserved slot its worker; true when nobody wants it any more.
    pub fn attach(&mut self, id: WorkerId, worker: Arc<dyn Worker>, now: Instant) -> bool {
        let Some(slot) = self.slots.get_mut(&id) else { return true };
        slot.worker = Some(worker);
        // `Ready` may have come before this.
        if matches!(slot.state, SlotState::Idle) {
            self.idle.push_back((id, now));
        }
        matches!(slot.state, SlotState::Dying)
    }

    /// Notes that a worker can take runs; false when nobody listens to it any more.
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

    /// The idle worker for the next run, and since when it rests: of those that are prepared the one that came to rest
    /// last, so that the others are seen to be unneeded; the one that has rested longest while none is.
    pub fn next_idle(&self, now: Instant) -> Option<(WorkerId, Arc<dyn Worker>, Instant)> {
        let is_prepared = |(_, since): &&(WorkerId, Instant)| now.saturating_duration_since(*since) >= PREPARED;
        let (id, since) = self.idle.iter().rev().find(is_prepared).or_else(|| self.idle.front()).copied()?;
        Some((id, self.worker(id)?, since))
    }

    pub fn idle(&self) -> usize {
        self.idle.len()
    }

    /// The worker that has been idle longest, and since when.
    pub fn longest_idle(&self) -> Option<(WorkerId, Instant)> {
        self.idle.front().copied()
    }

    /// Since when the worker rests that came to rest last.
    pub fn last_rest(&self) -> Option<Instant> {
        self.idle.back().map(|(_, since)| *since)
    }

    /// Gives an idle worker a run. Returns when the run must be over.
    pub fn occupy(&mut self, id: WorkerId, run: ActiveRun, now: Instant) -> Option<Instant> {
        self.idle.retain(|(idle, _)| *idle != id);
        let deadline = now.checked_add(run.wall() + WALL_GRACE);
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.state = SlotState::Busy(Box::new(run));
            self.deadlines.set(id, deadline);
        }
        deadline
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

    /// Notes that a run is to end early, and gives the worker that has it.
    pub fn cancel(&mut self, run: RunId) -> Option<Arc<dyn Worker>> {
        self.slots.values_mut().find_map(|slot| match &mut slot.state {
            SlotState::Busy(active) if active.ticket.run == run => {
                active.cancel();
                slot.worker.clone()
            }
            SlotState::Busy(_) | SlotState::Starting | SlotState::Idle | SlotState::Dying => None,
        })
    }

    /// The run of a worker, which has none from now on and gets no other until it [rests](Self::rest).
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

    /// A worker whose run was taken may have another.
    pub fn rest(&mut self, id: WorkerId, now: Instant) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.state = SlotState::Idle;
            self.idle.push_back((id, now));
        }
    }

    /// Gives up a worker. Its slot counts until the worker is gone.
    pub fn give_up(&mut self, id: WorkerId) -> Option<GivenUp> {
        self.idle.retain(|(idle, _)| *idle != id);
        self.deadlines.clear(id);
        let slot = self.slots.get_mut(&id)?;
        let was = std::mem::replace(&mut slot.state, SlotState::Dying);
        Some(GivenUp { worker: slot.worker.clone(), was })
    }

    /// A worker is gone, or never came to be; true when it had a slot.
    pub fn remove(&mut self, id: WorkerId) -> bool {
        self.idle.retain(|(idle, _)| *idle != id);
        self.deadlines.clear(id);
        self.slots.remove(&id).is_some()
    }

    /// Gives up all workers. Their deadlines stay: one that does not go is killed again.
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
