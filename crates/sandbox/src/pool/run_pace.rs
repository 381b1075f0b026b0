//! Detects runs in such quick succession that a worker cannot prepare for the next one.
//!
//! One caller that awaits each run before it requests the next keeps one worker busy without ever filling the queue. With a
//! second worker, one prepares its next realm while the other has a run.

use std::time::Duration;

/// Pause between two runs that a worker needs to prepare a realm.
const REST: Duration = Duration::from_micros(500);
/// Number of consecutive runs without it after which another worker is started.
const RUNS_WITHOUT_REST: u32 = 16;

#[derive(Debug, Default)]
pub struct RunPace {
    in_a_row: u32,
}

impl RunPace {
    /// Records how long the worker of the next run was idle.
    pub fn note_rest(&mut self, rested: Duration) {
        self.in_a_row = if rested < REST { self.in_a_row.saturating_add(1) } else { 0 };
    }

    /// Whether another worker should be started.
    pub fn needs_another_worker(&self) -> bool {
        self.in_a_row >= RUNS_WITHOUT_REST
    }

    /// Restarts the count after another worker was started.
    pub fn restart(&mut self) {
        self.in_a_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{REST, RUNS_WITHOUT_REST, RunPace};
    use std::time::Duration;

    #[test]
    fn many_runs_without_rest_need_another_worker_and_a_pause_resets_the_count() {
        let mut pace = RunPace::default();
        for _ in 1..RUNS_WITHOUT_REST {
            pace.note_rest(Duration::ZERO);
            assert!(!pace.needs_another_worker());
        }
        pace.note_rest(REST);
        pace.note_rest(Duration::ZERO);
        assert!(!pace.needs_another_worker());
        for _ in 1..RUNS_WITHOUT_REST {
            pace.note_rest(Duration::ZERO);
        }
        assert!(pace.needs_another_worker());
        pace.restart();
        assert!(!pace.needs_another_worker());
    }
}
