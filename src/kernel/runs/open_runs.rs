//! The table of open runs, by which they can be cancelled at any time.

use super::sandbox_host::SandboxHost;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tgp_base::ids::RunId;

/// What the caller currently wants of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunIntent {
    Run,
    Cancel,
}

struct OpenRun {
    intent: RunIntent,
    /// Its host, once it has started.
    host: Weak<SandboxHost>,
}

#[derive(Default)]
pub struct OpenRuns(Mutex<HashMap<RunId, OpenRun>>);

impl OpenRuns {
    /// Adds a run; does nothing for an open one.
    pub fn open(&self, run: RunId) {
        self.0.lock().entry(run).or_insert_with(|| OpenRun { intent: RunIntent::Run, host: Weak::new() });
    }

    /// Sets the host of a run.
    pub fn serve(&self, run: RunId, host: &Arc<SandboxHost>) {
        if let Some(open) = self.0.lock().get_mut(&run) {
            open.host = Arc::downgrade(host);
        }
    }

    /// The host of a run; none when it is over.
    pub fn host(&self, run: RunId) -> Option<Arc<SandboxHost>> {
        self.0.lock().get(&run)?.host.upgrade()
    }

    /// Marks a run as cancelled; does nothing when it is over.
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
