//! Actions for a pool after a change of its state: runs to start, workers to kill, requests to complete.

use super::active_run::ActiveRun;
use crate::message::RunCommand;
use crate::run_request::Done;
use crate::transport::Worker;
use std::sync::Arc;
use std::time::Instant;

/// A run assigned to a worker.
pub struct Assignment {
    pub worker: Arc<dyn Worker>,
    pub command: RunCommand,
    /// When the run must be over.
    pub deadline: Option<Instant>,
}

/// Why a run was not queued.
pub enum Refusal {
    Closed(Done),
    /// The queue is full.
    Full(Done),
}

/// A run whose worker reported its end.
pub struct Finished {
    pub active: ActiveRun,
    /// The worker, if it must not be used again.
    pub dismissed: Option<Arc<dyn Worker>>,
}

/// The result of giving up a worker.
#[derive(Default)]
pub struct Loss {
    /// The worker to kill.
    pub worker: Option<Arc<dyn Worker>>,
    pub run: Option<ActiveRun>,
    /// Queued runs that will not be started.
    pub given_up: Vec<Done>,
}
