//! Trying out what a tool does: runs that may ask for nothing, and that nobody counts.
//!
//! No files, no network, nothing of the application: what such a run gives depends on its arguments alone, or it gives
//! nothing.

use super::runs::Runs;
use super::sandbox_host::RunStarter;
use crate::kernel::door::present;
use crate::kernel::modules::ModuleGraph;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::{Counting, Host, HostAnswer, Question, Reply, RunEnd, RunRequest, when_done};
use tgp_vfs::JailPath;

/// What is tried out.
pub enum Tried<'t> {
    /// The tool at this path.
    Tool(&'t JailPath),
    /// This text, as if it were at this path.
    Text(&'t JailPath, &'t str),
}

/// The longest that one run may take.
const MAX_WALL: Duration = Duration::from_millis(500);
/// How much longer its end is waited for: it may have to wait for a worker.
const PATIENCE: Duration = Duration::from_secs(2);
/// The same for all: what depends on chance agrees with itself, and shows as such in another tool.
const SEED: u64 = 14;
const NOW: i64 = 1_700_000_000_000;

/// Has nothing to give.
struct Nobody;

impl Host for Nobody {
    fn call(self: Arc<Self>, _question: Question, reply: Reply) {
        let code = ErrorCode::SecurityViolation.as_str().to_owned();
        reply.send(HostAnswer::Fault { code, message: "A trial may ask for nothing.".to_owned() });
    }
}

/// A tool that is ready to be tried out.
pub struct Trial<'r> {
    runs: &'r Runs,
    graph: ModuleGraph,
}

impl Runs {
    /// Compiles what is to be tried out.
    pub fn trial(&self, tried: &Tried<'_>) -> Result<Trial<'_>, Error> {
        let graph = match tried {
            Tried::Tool(path) => self.modules().graph((*path).clone())?,
            Tried::Text(path, text) => self.modules().graph_of_code(path.as_str(), text)?,
        };
        Ok(Trial { runs: self, graph })
    }
}

/// Whose runs a trial may be made of: those of the caller that this thread works for, if there is one.
#[must_use]
pub fn run_owner() -> Option<String> {
    present().map(|call| call.owner)
}

impl Trial<'_> {
    /// The files of the root that run.
    pub fn files(&self) -> Vec<String> {
        self.graph.files()
    }

    /// The result for these arguments, as JSON; nothing when there is none, for whatever reason.
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
                counting: Counting::Off,
                lineage: scope.lineage,
                tree: Arc::clone(&scope.tree),
                deadline: scope.deadline(),
                host: Arc::new(Nobody),
                caller: run_owner().unwrap_or_default().into(),
            },
            when_done(move |outcome| {
                // Whoever asked may have lost patience.
                let _unheard = sender.send(outcome);
            }),
        );
        let Ok(outcome) = receiver.recv_timeout(limits.wall + PATIENCE) else {
            runs.sandbox().cancel(run);
            return None;
        };
        match outcome.ok()?.end {
            RunEnd::Value(json) => Some(json),
            RunEnd::Thrown(_)
            | RunEnd::BadResult(_)
            | RunEnd::CpuTimeout
            | RunEnd::WallTimeout
            | RunEnd::OutOfMemory
            | RunEnd::Cancelled
            | RunEnd::Crashed(_) => None,
        }
    }
}
