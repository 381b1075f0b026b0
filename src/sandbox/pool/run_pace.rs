//! Whether runs follow each other so closely that a worker cannot prepare for the next one.
//!
//! One caller that awaits each run before it asks for the next keeps one worker busy and never makes a queue. With a
//! second one, a worker makes its next realm while the other has a run.

use std::time::Duration;

/// What a worker needs between two runs to make a realm.
const REST: Duration = Duration::from_micros(500);
/// Runs in a row without it, until there is another worker.
const ROW: u32 = 16;

#[derive(Debug, Default)]
pub struct Haste {
    in_a_row: u32,
}

impl Haste {
    /// Notes how long the worker of the next run has rested.
    pub fn note(&mut self, rested: Duration) {
        self.in_a_row = if rested < REST { self.in_a_row.saturating_add(1) } else { 0 };
    }

    /// Whether it takes another worker.
    pub fn asks_for_help(&self) -> bool {
        self.in_a_row >= ROW
    }

    /// There is another worker: counting starts anew.
    pub fn relieve(&mut self) {
        self.in_a_row = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::{Haste, REST, ROW};
    use std::time::Duration;

    #[test]
    fn a_long_row_of_runs_without_rest_asks_for_help_and_a_pause_forgets_it() {
        let mut haste = Haste::default();
        for _ in 1..ROW {
            haste.note(Duration::ZERO);
            assert!(!haste.asks_for_help());
        }
        haste.note(REST);
        haste.note(Duration::ZERO);
        assert!(!haste.asks_for_help());
        for _ in 1..ROW {
            haste.note(Duration::ZERO);
        }
        assert!(haste.asks_for_help());
        haste.relieve();
        assert!(!haste.asks_for_help());
    }
}
