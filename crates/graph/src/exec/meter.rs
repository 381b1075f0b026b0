//! Counts what a query does, and ends it at its limits.

use crate::graph_error::GraphError;
use crate::limits::QueryBudget;
use std::cell::Cell;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// Lists and maps are nested at most this deep, so that recursion over them is bounded.
const MAX_NESTING: usize = 32;
/// The steps between two looks at the clock.
const STEPS_PER_CHECK: u64 = 1024;
/// One step is charged per this many bytes that a value takes, so that all values of a query together are bounded too.
const BYTES_PER_STEP: usize = 16;

pub struct Meter<'b> {
    pub budget: &'b QueryBudget,
    started: Instant,
    steps: Cell<u64>,
    next_check: Cell<u64>,
    kept: Cell<usize>,
}

impl<'b> Meter<'b> {
    pub fn new(budget: &'b QueryBudget) -> Self {
        Self { budget, started: Instant::now(), steps: Cell::new(0), next_check: Cell::new(0), kept: Cell::new(0) }
    }

    pub fn step(&self, count: u64) -> Result<(), GraphError> {
        let steps = self.steps.get().saturating_add(count);
        self.steps.set(steps);
        if steps > self.budget.steps {
            let advice = "Start from a path or a hash, or filter earlier";
            return Err(GraphError::Limit { what: "steps", limit: self.budget.steps, advice });
        }
        if steps >= self.next_check.get() {
            self.next_check.set(steps + STEPS_PER_CHECK);
            if self.started.elapsed() > self.budget.time {
                let limit = u64::try_from(self.budget.time.as_millis()).unwrap_or(u64::MAX);
                let advice = "Start from a path or a hash, or filter earlier";
                return Err(GraphError::Limit { what: "milliseconds", limit, advice });
            }
            if self.budget.cancelled.as_ref().is_some_and(|cancelled| cancelled.load(Ordering::Relaxed)) {
                return Err(GraphError::Cancelled);
            }
        }
        Ok(())
    }

    /// Charges a value of this size, before it is made.
    pub fn allocate(&self, bytes: usize) -> Result<(), GraphError> {
        if bytes > self.budget.bytes {
            return Err(self.too_many_bytes());
        }
        self.step(u64::try_from(bytes / BYTES_PER_STEP).unwrap_or(u64::MAX).saturating_add(1))
    }

    /// Charges what is kept until the end, or until it is released.
    pub fn keep(&self, bytes: usize) -> Result<(), GraphError> {
        let kept = self.kept.get().saturating_add(bytes);
        self.kept.set(kept);
        if kept > self.budget.bytes { Err(self.too_many_bytes()) } else { Ok(()) }
    }

    pub fn release(&self, bytes: usize) {
        self.kept.set(self.kept.get().saturating_sub(bytes));
    }

    pub fn check_nesting(&self, depth: usize) -> Result<(), GraphError> {
        let advice = "Use flatter lists and maps";
        if depth > MAX_NESTING {
            return Err(GraphError::Limit { what: "levels of lists", limit: MAX_NESTING as u64, advice });
        }
        Ok(())
    }

    pub fn too_many_hops(&self) -> GraphError {
        let advice = "Give the pattern an upper bound, as in '*1..5'";
        GraphError::Limit { what: "hops", limit: self.budget.hops as u64, advice }
    }

    fn too_many_bytes(&self) -> GraphError {
        GraphError::Limit { what: "bytes", limit: self.budget.bytes as u64, advice: "Return fewer or shorter values" }
    }
}
