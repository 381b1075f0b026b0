//! The policy for idle workers: how many are kept, and for how long.

use super::worker_slots::{WorkerId, WorkerSlots};
use std::time::{Duration, Instant};

/// Warm workers end after this many idle times without a run.
const QUIET: u32 = 10;

pub struct Readiness {
    warm: usize,
    idle: Duration,
    /// Whether the pool was used recently.
    awake: bool,
    /// Whether a newer pool keeps the idle workers instead.
    inactive: bool,
}

impl Readiness {
    pub fn new(warm: usize, idle: Duration) -> Self {
        Self { warm, idle, awake: true, inactive: false }
    }

    /// Number of idle workers to keep.
    pub fn kept(&self) -> usize {
        if self.awake && !self.inactive { self.warm } else { 0 }
    }

    /// Records a use of the pool.
    pub fn wake(&mut self) {
        self.awake = true;
    }

    /// Keeps no idle workers; workers are started on demand.
    pub fn deactivate(&mut self) {
        self.inactive = true;
    }

    /// Keeps idle workers again, from the next use of the pool on.
    pub fn activate(&mut self) {
        if std::mem::take(&mut self.inactive) {
            self.awake = false;
        }
    }

    /// When the next idle worker may have to end.
    pub fn next_check(&self, slots: &WorkerSlots) -> Option<Instant> {
        if slots.idle() > self.kept() {
            return slots.longest_idle()?.1.checked_add(self.idle);
        }
        if slots.busy() > 0 { None } else { slots.last_rest()?.checked_add(self.idle.saturating_mul(QUIET)) }
    }

    /// An idle worker that should end.
    pub fn take_unneeded(&mut self, slots: &WorkerSlots, now: Instant) -> Option<WorkerId> {
        while self.next_check(slots).is_some_and(|moment| moment <= now) {
            if slots.idle() > self.kept() {
                return slots.longest_idle().map(|(id, _)| id);
            }
            self.awake = false;
        }
        None
    }
}
