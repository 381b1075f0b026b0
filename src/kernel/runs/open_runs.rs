//! The runs that a caller has asked for and not heard of yet, so that a cancellation can come at any moment.

use super::sandbox_host::SandboxHost;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tgp_base::ids::RunId;

/// What the caller wants of a run by now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunIntent {
    Run,
    Cancel,
}

struct OpenRun {
    intent: RunIntent,
    /// Who serves it, once it has been started.
    host: Weak<SandboxHost>,
}

#[derive(Default)]
pub struct OpenRuns(Mutex<HashMap<RunId, OpenRun>>);

impl OpenRuns {
    /// Notes a run; what is noted of one that is open already stays.
    pub fn open(&self, run: RunId) {
        self.0.lock().entry(run).or_insert_with(|| OpenRun { intent: RunIntent::Run, host: Weak::new() });
    }

    /// Notes who serves a run.
    pub fn serve(&self, run: RunId, host: &Arc<SandboxHost>) {
        if let Some(open) = self.0.lock().get_mut(&run) {
            open.host = Arc::downgrade(host);
        }
    }

    /// Who serves a run; nobody when it is over.
    pub fn host(&self, run: RunId) -> Option<Arc<SandboxHost>> {
        self.0.lock().get(&run)?.host.upgrade()
    }

    /// Notes that the run is to be cancelled; a run that is over stays over.
    pub fn cancel(&self, run: RunId) {
        if let Some(open) = self.0.lock().get_mut(&run) {
            open.intent = RunIntent::Cancel;
        }
    }

    pub fn intent(&self, run: RunId) -> RunIntent {
        self.0.lock().get(&run).map_or(RunIntent::Cancel, |open| open.intent)
    }

    pub fn close(&self, run: RunId) {
        self.0.lock().remove(&run);
    }
}
