//! The public interface of the sandbox.

use super::confinement::Confinement;
use super::run_request::{Done, RunRequest};
use super::sandbox_error::SandboxError;
use crate::engine::engine_version as version;
use crate::pool::{Pool, PoolOptions};
use std::sync::Arc;
use tgp_base::ids::RunId;

/// A sandbox with a pool of engines. Dropping it ends them.
pub struct Sandbox {
    pool: Arc<Pool>,
}

impl Sandbox {
    /// Starts the warm workers in the background.
    #[must_use]
    pub fn new(options: PoolOptions) -> Self {
        Self { pool: Pool::new(options) }
    }

    /// Runs a tool. `done` is called exactly once, from another thread.
    pub fn run(&self, request: RunRequest, done: Done) {
        self.pool.submit(request, done);
    }

    /// Cancels a run; ignored if it is over.
    pub fn cancel(&self, run: RunId) {
        self.pool.cancel(run);
    }

    /// The confinement of the workers. Waits for the first worker.
    pub fn confinement(&self) -> Result<Confinement, SandboxError> {
        self.pool.confinement()
    }

    /// Ends all runs and workers, and waits for the workers to end.
    pub fn shutdown(&self) {
        self.pool.shutdown();
    }
}

/// The version of the linked V8.
#[must_use]
pub fn engine_version() -> &'static str {
    version()
}
