//! The request and the outcome of a run.

use super::host::Host;
use super::limits::RunLimits;
use super::lineage::Lineage;
use super::log_level::LogLevel;
use super::message::Coverage;
use super::module::Module;
use super::run_end::{RunEnd, RunStats};
use super::run_tree::RunTree;
use super::sandbox_error::SandboxError;
use crate::packages::Package;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::Instant;
use tgp_base::ids::RunId;
use tgp_base::threads::OnceCallback;

/// A request to run a tool.
pub struct RunRequest {
    pub run: RunId,
    pub entry: String,
    pub modules: Arc<Vec<Module>>,
    /// The packages that `modules` refer to.
    pub packages: Vec<Arc<Package>>,
    pub args_json: Arc<str>,
    pub api: Arc<Vec<String>>,
    pub limits: RunLimits,
    pub seed: Option<u64>,
    pub now: Option<i64>,
    pub coverage: Coverage,
    pub lineage: Lineage,
    /// The budget shared by all runs of the same root.
    pub tree: Arc<RunTree>,
    /// Deadline of the root; `None` for the root itself.
    pub deadline: Option<Instant>,
    pub host: Arc<dyn Host>,
    /// The owner of the call: a principal in a session, or a token. Owners take turns in the queue.
    pub owner: Arc<str>,
}

/// One line that the guest logged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LogLine {
    pub level: LogLevel,
    pub message: String,
}

/// The outcome of a run.
#[derive(Debug)]
pub struct RunOutcome {
    pub end: RunEnd,
    pub logs: Vec<LogLine>,
    pub stats: RunStats,
    /// The stack of a guest that reached a time limit, with positions in the compiled code; otherwise empty.
    pub stack: String,
}

impl RunOutcome {
    /// The outcome of a run that was cancelled before it had a worker.
    pub(super) fn of_cancelled() -> Self {
        Self { end: RunEnd::Cancelled, logs: Vec::new(), stats: RunStats::default(), stack: String::new() }
    }
}

/// The completion callback of a request, called exactly once, from any thread.
pub type Done = OnceCallback<Result<RunOutcome, SandboxError>>;

/// A completion callback that passes the outcome of a run to `callback`.
pub fn when_done(callback: impl FnOnce(Result<RunOutcome, SandboxError>) + Send + 'static) -> Done {
    OnceCallback::new(|| Err(SandboxError::Panicked), callback)
}
