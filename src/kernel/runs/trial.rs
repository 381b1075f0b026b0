//! Trial runs: without host functions, and not counted as uses.
//!
//! No files, no network, no application functions: the result depends on the arguments only, or there is none.

use super::runs::Runs;
use super::sandbox_host::RunStarter;
use crate::kernel::door::present;
use crate::kernel::modules::ModuleGraph;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::{Code, Coverage, Host, HostAnswer, Module, Question, Reply, RunEnd, RunRequest, when_done};
use tgp_vfs::JailPath;

/// What a trial runs.
pub enum TrialSource<'t> {
    /// The tool at this path.
    Tool(&'t JailPath),
    /// This text, as if it were at this path.
    Text(&'t JailPath, &'t str),
}

/// Time limit of one run.
const MAX_WALL: Duration = Duration::from_millis(500);
/// Added to the time limit when waiting for the end of a run, which may have to wait for a worker.
const QUEUE_MARGIN: Duration = Duration::from_secs(2);
/// The same for all trials, so that random results are repeatable.
const SEED: u64 = 14;
const NOW: i64 = 1_700_000_000_000;

/// A host that refuses every request.
struct NoHost;

impl Host for NoHost {
    fn call(self: Arc<Self>, _question: Question, reply: Reply) {
        let code = ErrorCode::SecurityViolation.as_str().to_owned();
        reply.send(HostAnswer::Fault { code, message: "A trial has no host functions.".to_owned() });
    }
}

/// A compiled trial.
pub struct Trial<'r> {
    runs: &'r Runs,
    graph: ModuleGraph,
}

impl Runs {
    /// Compiles a trial.
    pub fn trial(&self, source: &TrialSource<'_>) -> Result<Trial<'_>, Error> {
        let graph = match source {
            TrialSource::Tool(path) => self.modules().graph((*path).clone())?,
            TrialSource::Text(path, text) => self.modules().graph_of_code(path.as_str(), text)?,
        };
        Ok(Trial { runs: self, graph })
    }
}

/// The owner whose recorded arguments a trial may use: the caller that this thread works for, if any.
#[must_use]
pub fn run_owner() -> Option<String> {
    present().map(|call| call.caller.owner())
}

impl Trial<'_> {
    /// The files of the root in this trial.
    pub fn files(&self) -> Vec<String> {
        self.graph.files()
    }

    /// Whether the tools themselves, without what they import, compile to the same code with the same imports.
    pub fn has_code_of(&self, other: &Self) -> bool {
        let of = |trial: &Self| {
            let Some(Module { code: Code::Text(text), links, .. }) = trial.graph.modules.first() else { return None };
            Some((Arc::clone(text), links.clone()))
        };
        of(self).is_some_and(|own| of(other) == Some(own))
    }

    /// The result for these arguments, as JSON; none on any failure.
    pub fn result(&self, args_json: &str) -> Option<String> {
        let runs = self.runs;
        let mut limits = runs.limits();
        limits.wall = limits.wall.min(MAX_WALL);
        let run = runs.next_run();
        let scope = runs.bare_scope(run, limits);
        let (sender, receiver) = crossbeam_channel::bounded(1);
        runs.sandbox().run(
            RunRequest {
                run,
                entry: self.graph.modules.first().map(|module| module.path.clone()).unwrap_or_default(),
                modules: Arc::clone(&self.graph.modules),
                packages: self.graph.packages.clone(),
                args_json: args_json.into(),
                api: Arc::default(),
                limits,
                seed: Some(SEED),
                now: Some(NOW),
                coverage: Coverage::Off,
                lineage: scope.lineage,
                tree: Arc::clone(&scope.tree),
                deadline: scope.deadline(),
                host: Arc::new(NoHost),
                owner: run_owner().unwrap_or_default().into(),
            },
            when_done(move |outcome| {
                // The caller may have timed out.
                let _unheard = sender.send(outcome);
            }),
        );
        let Ok(outcome) = receiver.recv_timeout(limits.wall + QUEUE_MARGIN) else {
            runs.sandbox().cancel(run);
            return None;
        };
        match outcome.ok()?.end {
            RunEnd::Value(json) => Some(json),
            RunEnd::Thrown(_)
            | RunEnd::BadResult(_)
            | RunEnd::CpuTimeout
            | RunEnd::PackageTimeout
            | RunEnd::WallTimeout
            | RunEnd::OutOfMemory
            | RunEnd::Cancelled
            | RunEnd::Crashed(_) => None,
        }
    }
}
