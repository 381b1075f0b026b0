//! How long workers are kept that nothing runs in.

use super::worker_slots::{WorkerId, WorkerSlots};
use std::time::{Duration, Instant};

/// The workers that are kept ready go when nothing has run for this many times as long as others may be idle.
const QUIET: u32 = 10;

pub struct Readiness {
    warm: usize,
    idle: Duration,
    /// Whether somebody has used the pool of late.
    awake: bool,
    /// Whether a newer pool has workers ready in place of this one.
    stands_back: bool,
}

impl Readiness {
    pub fn new(warm: usize, idle: Duration) -> Self {
        Self { warm, idle, awake: true, stands_back: false }
    }

    /// How many idle workers there should be.
    pub fn kept(&self) -> usize {
        if self.awake && !self.stands_back { self.warm } else { 0 }
    }

    /// Somebody uses the pool.
    pub fn wake(&mut self) {
        self.awake = true;
    }

    /// From now on workers are started when they are needed, and none before.
    pub fn stand_back(&mut self) {
        self.stands_back = true;
    }

    /// From its next use on the pool has workers ready again: nobody may ever use it.
    pub fn step_forward(&mut self) {
        if std::mem::take(&mut self.stands_back) {
            self.awake = false;
        }
    }

    /// When there may be a worker too many.
    pub fn next_look(&self, slots: &WorkerSlots) -> Option<Instant> {
        if slots.idle() > self.kept() {
            return slots.longest_idle()?.1.checked_add(self.idle);
        }
        if slots.busy() > 0 { None } else { slots.last_rest()?.checked_add(self.idle.saturating_mul(QUIET)) }
    }

    /// A worker that nobody has needed for long enough.
    pub fn take_unneeded(&mut self, slots: &WorkerSlots, now: Instant) -> Option<WorkerId> {
        while self.next_look(slots).is_some_and(|moment| moment <= now) {
            if slots.idle() > self.kept() {
                return slots.longest_idle().map(|(id, _)| id);
            }
            self.awake = false;
        }
        None
    }
}
