//! The runs that a caller has asked for and not heard of yet, so that a cancellation can come at any moment.

use crate::ids::RunId;
use parking_lot::Mutex;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    Run,
    Cancel,
}

#[derive(Debug, Default)]
pub struct RunRegistry(Mutex<HashMap<RunId, Wish>>);

impl RunRegistry {
    pub fn open(&self, run: RunId) {
        self.0.lock().insert(run, Wish::Run);
    }

    /// Notes the wish to cancel; a run that is over stays over.
    pub fn cancel(&self, run: RunId) {
        if let Some(wish) = self.0.lock().get_mut(&run) {
            *wish = Wish::Cancel;
        }
    }

    pub fn wish(&self, run: RunId) -> Wish {
        self.0.lock().get(&run).copied().unwrap_or(Wish::Cancel)
    }

    pub fn close(&self, run: RunId) {
        self.0.lock().remove(&run);
    }
}
