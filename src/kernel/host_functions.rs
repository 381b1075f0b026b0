//! Functions that the embedding application offers to guests.

use std::sync::Arc;
use tgp_base::error::Error;
use tgp_base::ids::RunId;
use tgp_sql::Dialect;

/// Takes an answer as JSON, or the reason why there is none. Called once, from any thread.
pub type Answer = Box<dyn FnOnce(Result<String, Error>) + Send>;

/// How a run has ended, for whoever holds something open on its behalf.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnding {
    /// The tool gave a result: make its effects last.
    Commit,
    /// It did not: undo them.
    Rollback,
}

/// On whose behalf a function is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallFor {
    /// The outermost run: what the application holds open belongs to it.
    pub root: RunId,
    /// The nearest run that the application itself has started: the root, or one that a function of it started meanwhile.
    pub context: RunId,
    /// The run that waits for the answer: the root, or one below it.
    pub caller: RunId,
    /// The runs below the root, down to the caller.
    pub nesting: Vec<RunId>,
}

impl CallFor {
    /// For what is about one run alone, which the application has started.
    #[must_use]
    pub const fn of(run: RunId) -> Self {
        Self { root: run, context: run, caller: run, nesting: Vec::new() }
    }

    /// For questions that belong to no run.
    pub const NOBODY: Self = Self::of(RunId(0));
}

/// The application's side of the bridge.
pub trait HostFunctions: Send + Sync {
    /// Names of the functions, as the guest finds them on `tgp`.
    fn names(&self) -> Arc<Vec<String>>;

    /// Whether a function may be called in a dry run: it changes nothing, or undoes it when the run has ended.
    fn runs_dry(&self, _name: &str) -> bool {
        false
    }

    /// Whose SQL `exec_sql` runs.
    fn sql_dialect(&self) -> Dialect {
        Dialect::Any
    }

    /// Calls a function with a JSON array of arguments. It must not block.
    fn call(&self, on_behalf: CallFor, name: &str, args_json: String, answer: Answer);

    /// Tells that a run, the caller, which called at least one function has ended: the root, or one below it. The run is
    /// reported when `done` was called, and an error turns its success into a failure.
    fn finish(&self, on_behalf: CallFor, ending: RunEnding, done: Answer);
}
