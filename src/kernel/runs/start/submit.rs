//! The way into a run for calls of the application.
//!
//! ```text
//! submit
//!   |  on the caller's thread if enters_quickly, else on one of `starting`
//! enter_or_nest
//!   |  enter: the door judges and records the call          -> refused
//!   |  nest_in: a function of a run started it              -> nest, in the background: start
//!   |  on the caller's thread if starts_quickly, else on one of `starting`
//! start
//!   |  check_request                                        -> refused
//! execute, in the sandbox
//! ```
//!
//! Runs that a guest starts come from `nested_start.rs`: the door, `nest`, `start`.

use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::Runs;
use crate::kernel::runs::entered_run::{EnteredRun, admit_run, run_call};
use crate::kernel::runs::outcome::exec_value::{ExecDone, when_executed};
use crate::kernel::runs::outcome::run_stages::Stage;
use crate::kernel::runs::sandbox_host::SandboxHost;
use crate::kernel::runs::scope::exec_options::{ExecRequest, Runnable};
use crate::kernel::runs::scope::run_scope::RunScope;
use crate::kernel::runs::scope::run_terms::RunTerms;
use crate::kernel::visibility::with_visibility;
use crate::kernel::work_pool::no_thread;
use std::sync::Arc;
use tgp_base::call::{Call, Caller};
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_base::mode::Mode;
use tgp_base::threads;
use tgp_state::Origin;

/// An admitted run that is not part of another one.
type Admitted = (EnteredRun, RunTerms);

impl Runs {
    /// Starts a run, which `parent` waits for. `done` is called once, from any thread. Never blocks.
    pub fn submit(self: &Arc<Self>, request: ExecRequest, parent: Option<RunId>, done: ExecDone) {
        // From now on it can be cancelled.
        let done = self.announce(request.run, done);
        if !self.enters_quickly(&request) {
            let runs = Arc::clone(self);
            let job = move |(request, done)| {
                if let Some(admitted) = runs.enter_or_nest(request, parent, done) {
                    runs.start_outermost(admitted);
                }
            };
            if let Err((_, done)) = self.starting.spawn_with((), (request, done), job) {
                done.complete(Err(no_thread()));
            }
            return;
        }
        // A panic drops `done`, which reports the end.
        let entered = threads::contain(|| self.enter_or_nest(request, parent, done));
        let Ok(Some((mut entered, terms))) = entered else { return };
        let slow = threads::contain(|| {
            if !self.starts_quickly(&mut entered, &terms) {
                return Some((entered, terms));
            }
            let scope = self.scope(entered.run, terms);
            self.start(entered, scope, None);
            None
        });
        let Ok(Some(slow)) = slow else { return };
        let runs = Arc::clone(self);
        if let Err((entered, _)) = self.starting.spawn_with((), slow, move |slow| runs.start_outermost(slow)) {
            entered.refuse(no_thread());
        }
    }

    /// Whether a run can be admitted on the caller's thread: its texts are short, as they are searched for secrets and hashed
    /// for the ledger, and there are no rules, or its module graph is cached and valid.
    fn enters_quickly(&self, request: &ExecRequest) -> bool {
        let caller = &request.options.caller;
        if !request.is_short() || self.services.door.has_guard() {
            return false;
        }
        if self.services.door.gate().is_open_to(caller) {
            return true;
        }
        // Checking a token reads a file.
        let is_explored = caller.token.is_none() && self.mode_of(caller) == Mode::Explore;
        is_explored && request.what.tool().is_some_and(|tool| self.modules().graph_quickly(&tool).is_some())
    }

    /// Whether a run with short texts can be started on the caller's thread: no test state has to be read, and the module
    /// graph, which is kept, is cached and has few files to check.
    fn starts_quickly(&self, entered: &mut EnteredRun, terms: &RunTerms) -> bool {
        if self.mode_of(&terms.admission.caller) != Mode::Explore {
            return false;
        }
        let Some(tool) = entered.what.tool() else { return false };
        entered.graph = entered.graph.take().or_else(|| self.modules().graph_quickly(&tool));
        let kind = terms.admission.caller.kind;
        let is_described = |graph: &ModuleGraph| {
            let entry = graph.modules.first().and_then(|module| graph.tool(&module.path));
            entry.is_none_or(|tool| tool.is_described())
        };
        entered
            .graph
            .as_ref()
            .is_some_and(|graph| is_described(graph) && self.services.checks.gates_quickly(kind, graph))
    }

    /// Admits a run; none if it was refused, or is part of the run of its parent and started there.
    fn enter_or_nest(
        self: &Arc<Self>,
        request: ExecRequest,
        parent: Option<RunId>,
        done: ExecDone,
    ) -> Option<Admitted> {
        let host = parent.and_then(|parent| self.open.host(parent));
        let is_dry = host.as_ref().is_some_and(|host| host.is_dry());
        let admitted = self.enter(request, parent, is_dry, done)?;
        if parent.is_some() { self.nest_in(host.as_deref(), admitted) } else { Some(admitted) }
    }

    /// Admits a run through the door; none if it was refused. `is_dry`: its parent is, so it is too.
    fn enter(&self, request: ExecRequest, parent: Option<RunId>, is_dry: bool, done: ExecDone) -> Option<Admitted> {
        let ExecRequest { run, what, args_json, options } = request;
        let mut caller = Arc::clone(&options.caller);
        if is_dry && !caller.dry_run {
            caller = Arc::new(Caller { dry_run: true, ..(*caller).clone() });
        }
        let limits = options.limits(self.limits_for(&what));
        let call = Call {
            parent: parent.map(|parent| parent.0),
            wall: limits.as_ref().ok().map(|limits| limits.wall),
            approval: caller.approval.as_deref(),
            ..run_call(run, &what, &args_json, &caller)
        };
        let through = if parent.is_some() { Origin::Run } else { Origin::Call };
        let (admitted, graph) =
            self.with_texts(&what, &caller, through, options.checked_arguments(&args_json), |details| {
                admit_run(&self.services.door, call, details, None, done)
            });
        let (error, done) = match (admitted, limits) {
            (Ok((mut admission, done)), Ok(mut limits)) => {
                admission.budget = admission.budget.filter(|budget| *budget < limits.wall);
                limits.wall = admission.budget.unwrap_or(limits.wall);
                let entered = EnteredRun { run, what, args_json, graph, done };
                return Some((entered, RunTerms { options, limits, admission }));
            }
            // Refused after the door, so that it is recorded.
            (Ok((_, done)), Err(error)) => (error, done),
            (Err(refused), _) => refused,
        };
        done.complete(Err(error));
        None
    }

    /// Nests a run in the run of the function that starts it, within the remaining budget, so that the two cannot deadlock.
    /// When that run is over, requests of an unfinished function are refused, and others are given back, as they are not
    /// part of the run.
    fn nest_in(self: &Arc<Self>, host: Option<&SandboxHost>, (entered, terms): Admitted) -> Option<Admitted> {
        if terms.admission.caller.dry_run && host.is_some_and(|host| !host.is_dry()) {
            let error = cannot_turn_dry(entered.what.path());
            entered.refuse(error);
            return None;
        }
        let Some((scope, begun)) = host.and_then(|host| host.begin_below(entered.run)) else {
            if !terms.options.below {
                return Some((entered, terms));
            }
            entered.refuse(Error::new(ErrorCode::Aborted, "The run of the requesting function is over."));
            return None;
        };
        let scope = scope.started_by_function(entered.run, terms);
        let done = entered.done;
        let done = when_executed(move |result| {
            if let Err(error) = &result {
                begun.failed(error);
            }
            drop(begun);
            done.complete(result);
        });
        self.nest(EnteredRun { done, ..entered }, scope);
        None
    }

    fn start_outermost(self: &Arc<Self>, (entered, terms): Admitted) {
        let scope = self.scope(entered.run, terms);
        let (entered, scope) = self.recorded(entered, scope);
        let compiling = Stage::begin("compile", &scope);
        self.start(entered, scope, Some(compiling));
    }

    /// Compiles a run unless that was done, checks it, and runs it. `compiling` is the phase that ends before it runs.
    pub(in crate::kernel::runs) fn start(
        self: &Arc<Self>,
        mut entered: EnteredRun,
        scope: RunScope,
        compiling: Option<Stage>,
    ) {
        if matches!(entered.what, Runnable::Test(_)) && scope.test.is_none() {
            let message = "A function of the application cannot run tests while a tool waits for it.";
            return entered.refuse(Error::new(ErrorCode::Limit, message));
        }
        let graph = entered.graph.take();
        let graph = with_visibility(scope.admission.visibility.clone(), || {
            let graph = graph.map_or_else(|| self.graph(&entered.what, scope.test.as_deref()), Ok)?;
            self.check_request(&entered, &scope, &graph)?;
            Ok(graph)
        });
        if let Some(compiling) = compiling {
            compiling.end(entered.run, &scope);
        }
        match graph {
            Ok(graph) => self.execute(entered, scope, graph),
            Err(error) => entered.refuse(error),
        }
    }
}

/// The error of a dry run nested in a real one, whose open transaction and files it would see and change.
fn cannot_turn_dry(path: &str) -> Error {
    let message = format!(
        "{path} cannot be previewed here: the request comes from a function that a real run waits for. Preview it outside of that run, or make the outer run a dry run."
    );
    Error::new(ErrorCode::Validation, message).with("field", "dryRun")
}
