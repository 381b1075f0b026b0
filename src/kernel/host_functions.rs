//! Functions of the application that guests can call.

use std::sync::Arc;
use tgp_base::error::Error;
use tgp_base::ids::RunId;
use tgp_sql::Dialect;

/// The function that writes to the application's log. Guests cannot call it.
const WARN: &str = "#warn";

/// Receives the answer as JSON, or an error. Called once, from any thread.
pub type Answer = Box<dyn FnOnce(Result<String, Error>) + Send>;

/// How the transactions of an ended run are closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunEnding {
    /// The run succeeded: commit.
    Commit,
    /// The run failed: roll back.
    Rollback,
}

/// The run for which a function is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallingRun {
    /// The outermost run, which owns open transactions.
    pub root: RunId,
    /// The nearest enclosing run that the application started: the root, or one that an application's function started.
    pub context: RunId,
    /// The run that waits for the answer: the root, or one nested in it.
    pub caller: RunId,
    /// The nested runs from below the root down to the caller.
    pub nesting: Vec<RunId>,
}

impl CallingRun {
    /// For a single run that the application started.
    #[must_use]
    pub const fn of(run: RunId) -> Self {
        Self { root: run, context: run, caller: run, nesting: Vec::new() }
    }

    /// For calls outside of any run.
    pub const NO_RUN: Self = Self::of(RunId(0));
}

/// The application's functions.
pub trait HostFunctions: Send + Sync {
    /// Names of the functions on the guest's `tgp` object.
    fn names(&self) -> Arc<Vec<String>>;

    /// Whether a function may be called in a dry run: it changes nothing, or rolls back at the end of the run.
    fn runs_dry(&self, _name: &str) -> bool {
        false
    }

    /// The SQL dialect of `exec_sql`.
    fn sql_dialect(&self) -> Dialect {
        Dialect::Any
    }

    /// Calls a function with a JSON array of arguments. Must not block.
    fn call(&self, on_behalf: CallingRun, name: &str, args_json: String, answer: Answer);

    /// Writes a warning to the application's log.
    fn warn(&self, message: &str) {
        let arguments = serde_json::json!([message]).to_string();
        self.call(CallingRun::NO_RUN, WARN, arguments, Box::new(drop));
    }

    /// Reports the end of a run (`caller`) that called at least one function. The run completes after `done`; an error
    /// turns its success into a failure.
    fn finish(&self, on_behalf: CallingRun, ending: RunEnding, done: Answer);
}
