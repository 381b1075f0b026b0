//! Starts nested runs.

use crate::kernel::door::ask_approval;
use crate::kernel::runs::Runs;
use crate::kernel::runs::entered_run::{EnteredRun, admit_run, run_call};
use crate::kernel::runs::outcome::exec_value::{ExecDone, when_executed};
use crate::kernel::runs::outcome::run_stages::Stage;
use crate::kernel::runs::sandbox_host::{RequestedRun, RunStarter};
use crate::kernel::runs::scope::run_scope::RunScope;
use crate::kernel::runs::scope::run_terms::RunAdmission;
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
            ..run_call(run, &what, &args_json, &scope.admission.caller)
        };
        let trace = scope.trace.clone().filter(|_| parent.is_some());
        let checked = scope.options.checked_arguments(&args_json);
        let (admitted, graph) = self.with_texts(&what, &scope.admission.caller, Origin::Run, checked, |details| {
            admit_run(&self.services.door, call, details, trace, done)
        });
        match admitted {
            Ok((admission, done)) => {
                // Its time limit is the outer run's.
                scope.admission = RunAdmission { budget: scope.admission.budget, ..admission };
                self.nest(EnteredRun { run, what, args_json, graph, done }, scope);
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
    /// Starts a run within the limits of its root.
    pub(in crate::kernel::runs) fn nest(self: &Arc<Self>, entered: EnteredRun, scope: RunScope) {
        let live = match self.count_nested(&scope, entered.what.path()) {
            Ok(live) => live,
            Err(error) => return entered.refuse(error),
        };
        let done = entered.done;
        let done = when_executed(move |result| {
            drop(live);
            done.complete(result);
        });
        let entered = EnteredRun { done: self.announce(entered.run, done), ..entered };
        let runs = Arc::clone(self);
        // In the background: compiling may be slow, and must not delay other requests of the outer run.
        let root = scope.root();
        let job = move || {
            let compiling = Stage::begin("compile", &scope);
            runs.start(entered, scope, Some(compiling));
        };
        self.services.background.spawn_or_run(root, job);
    }
}
