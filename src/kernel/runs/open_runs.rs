//! The runs that a caller has asked for and not heard of yet, so that a cancellation can come at any moment.

use crate::ids::RunId;
use parking_lot::Mutex;
use std::collections::HashMap;

/// What the caller wants of a run by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunIntent {
    Run,
    Cancel,
}

#[derive(Debug, Default)]
pub struct OpenRuns(Mutex<HashMap<RunId, RunIntent>>);

impl OpenRuns {
    pub fn open(&self, run: RunId) {
        self.0.lock().insert(run, RunIntent::Run);
    }

    /// Notes that the run is to be cancelled; a run that is over stays over.
    pub fn cancel(&self, run: RunId) {
        if let Some(intent) = self.0.lock().get_mut(&run) {
            *intent = RunIntent::Cancel;
        }
    }

    pub fn intent(&self, run: RunId) -> RunIntent {
        self.0.lock().get(&run).copied().unwrap_or(RunIntent::Cancel)
    }

    pub fn close(&self, run: RunId) {
        self.0.lock().remove(&run);
    }
}
