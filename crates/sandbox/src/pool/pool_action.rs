//! What a pool is to do after its state has changed: run this, kill that, tell whoever waits.

use super::active_run::ActiveRun;
use crate::message::RunCommand;
use crate::run_request::Done;
use crate::transport::Worker;
use std::sync::Arc;
use std::time::Instant;

/// A run for a worker.
pub struct Assignment {
    pub worker: Arc<dyn Worker>,
    pub command: RunCommand,
    /// When the run must be over.
    pub deadline: Option<Instant>,
}

/// Why a run was not queued.
pub enum Refusal {
    Closed(Done),
    /// As many runs wait as may wait.
    Full(Done),
}

/// A run that has ended by itself.
pub struct Finished {
    pub active: ActiveRun,
    /// The worker, when it may not be used again.
    pub dismissed: Option<Arc<dyn Worker>>,
}

/// What a worker that is given up leaves behind.
#[derive(Default)]
pub struct Loss {
    /// To be killed.
    pub worker: Option<Arc<dyn Worker>>,
    pub run: Option<ActiveRun>,
    /// Runs that nobody will start.
    pub given_up: Vec<Done>,
}
