//! Detects runs in such quick succession that a worker cannot prepare for the next one.
//!
//! One caller that awaits each run before it requests the next keeps one worker busy without ever filling the queue. With a
//! second worker, one prepares its next realm while the other has a run.

use std::time::Duration;

/// Pause between two runs that a worker needs to prepare a realm.
const MIN_IDLE: Duration = Duration::from_micros(500);
/// Number of consecutive runs without it after which another worker is started.
const RUNS_WITHOUT_IDLE: u32 = 16;

#[derive(Debug, Default)]
pub struct RunPace {
    in_a_row: u32,
}

impl RunPace {
    /// Records how long the worker of the next run was idle.
    pub fn note_idle(&mut self, rested: Duration) {
        self.in_a_row = if rested < MIN_IDLE { self.in_a_row.saturating_add(1) } else { 0 };
    }

    /// Whether another worker should be started.
    pub fn needs_another_worker(&self) -> bool {
        self.in_a_row >= RUNS_WITHOUT_IDLE
    }

    /// Restarts the count after another worker was started.
    pub fn restart(&mut self) {
        self.in_a_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{MIN_IDLE, RUNS_WITHOUT_IDLE, RunPace};
    use std::time::Duration;

    #[test]
    fn many_runs_without_rest_need_another_worker_and_a_pause_resets_the_count() {
        let mut pace = RunPace::default();
        for _ in 1..RUNS_WITHOUT_IDLE {
            pace.note_idle(Duration::ZERO);
            assert!(!pace.needs_another_worker());
        }
        pace.note_idle(MIN_IDLE);
        pace.note_idle(Duration::ZERO);
        assert!(!pace.needs_another_worker());
        for _ in 1..RUNS_WITHOUT_IDLE {
            pace.note_idle(Duration::ZERO);
        }
        assert!(pace.needs_another_worker());
        pace.restart();
        assert!(!pace.needs_another_worker());
    }
}
