//! Starts nested runs.

use super::entered_run::{Entered, enter, run_call};
use crate::kernel::door::ask_approval;
use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::Runs;
use crate::kernel::runs::outcome::exec_value::{ExecDone, when_executed};
use crate::kernel::runs::sandbox_host::{RequestedRun, RunStarter};
use crate::kernel::runs::scope::exec_options::Runnable;
use crate::kernel::runs::scope::run_scope::RunScope;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tgp_base::call::Call;
use tgp_base::error::Error;
use tgp_base::ids::RunId;
use tgp_state::Origin;

impl RunStarter for Runs {
    fn next_run(&self) -> RunId {
        RunId(self.next_nested.fetch_add(1, Ordering::Relaxed))
    }

    fn cancel(&self, run: RunId) {
        self.cancel_run(run);
    }

    fn start_nested(self: Arc<Self>, nested: RequestedRun, approval: Option<String>, done: ExecDone) {
        let RequestedRun { run, mut scope, what, args_json } = nested;
        let parent = scope.lineage.parent;
        let call = Call {
            parent: parent.map(|parent| parent.0),
            calling_tool: Some(&scope.tool),
            approval: approval.as_deref(),
            ..run_call(run, &what, &args_json, &scope.options.caller)
        };
        let trace = scope.trace.clone().filter(|_| parent.is_some());
        let (entered, graph) = self.with_texts(&what, &scope.options, Origin::Run, |details| {
            enter(&self.services.door, call, details, trace, done)
        });
        match entered {
            Ok(Entered { done, approved, visibility, .. }) => {
                scope.options.approved = approved;
                scope.options.visibility = visibility;
                self.begin_nested(run, scope, what, args_json, graph, done);
            }
            Err((error, done)) if approval.is_some() => done.complete(Err(error)),
            Err((error, done)) => {
                let functions = Arc::clone(&self.services.functions);
                let on_behalf = scope.application_call(scope.lineage.parent.unwrap_or(run));
                let then = move |answer: Result<String, Error>| match answer {
                    Ok(id) => {
                        let nested = RequestedRun { run, scope, what, args_json };
                        let (runs, root) = (Arc::clone(&self), nested.scope.root());
                        let job = move || runs.start_nested(nested, Some(id), done);
                        self.services.background.spawn_or_run(root, job);
                    }
                    Err(error) => done.complete(Err(error)),
                };
                ask_approval(&*functions, on_behalf, error, then);
            }
        }
    }
}

impl Runs {
    pub(in crate::kernel::runs) fn begin_nested(
        self: Arc<Self>,
        run: RunId,
        scope: RunScope,
        what: Runnable,
        args_json: String,
        judged: Option<ModuleGraph>,
        done: ExecDone,
    ) {
        let live = match self.admit_nested(&scope, what.path()) {
            Ok(live) => live,
            Err(error) => return done.complete(Err(error)),
        };
        let done = when_executed(move |result| {
            drop(live);
            done.complete(result);
        });
        let done = self.announce(run, done);
        let runs = Arc::clone(&self);
        // In the background: compiling may be slow, and must not delay other requests of the outer run.
        let root = scope.root();
        let job = move || runs.exec(run, scope, what, args_json, judged, done);
        self.services.background.spawn_or_run(root, job);
    }
}
