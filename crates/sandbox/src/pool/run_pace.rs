//! Whether runs follow each other so closely that a worker cannot prepare for the next one.
//!
//! One caller that awaits each run before it asks for the next keeps one worker busy and never makes a queue. With a
//! second one, a worker makes its next realm while the other has a run.

use std::time::Duration;

/// What a worker needs between two runs to make a realm.
const REST: Duration = Duration::from_micros(500);
/// Runs in a row without it, until there is another worker.
const RUNS_WITHOUT_REST: u32 = 16;

#[derive(Debug, Default)]
pub struct RunPace {
    in_a_row: u32,
}

impl RunPace {
    /// Notes how long the worker of the next run has rested.
    pub fn note_rest(&mut self, rested: Duration) {
        self.in_a_row = if rested < REST { self.in_a_row.saturating_add(1) } else { 0 };
    }

    /// Whether the workers need another one beside them.
    pub fn needs_another_worker(&self) -> bool {
        self.in_a_row >= RUNS_WITHOUT_REST
    }

    /// There is another worker: counting starts anew.
    pub fn start_anew(&mut self) {
        self.in_a_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{REST, RUNS_WITHOUT_REST, RunPace};
    use std::time::Duration;

    #[test]
    fn a_long_row_of_runs_without_rest_needs_another_worker_and_a_pause_forgets_it() {
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
        pace.start_anew();
        assert!(!pace.needs_another_worker());
    }
}
