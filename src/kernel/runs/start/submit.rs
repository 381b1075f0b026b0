//! The way into a run for calls of the application: admission, then the start, on the caller's thread if both are quick.

use super::entered_run::{Entered, EnteredRun, enter, run_call};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::Runs;
use crate::kernel::runs::outcome::exec_value::{ExecDone, when_executed};
use crate::kernel::runs::outcome::run_stages::Stage;
use crate::kernel::runs::scope::exec_options::{ExecRequest, Runnable};
use crate::kernel::runs::scope::run_scope::RunScope;
use crate::kernel::visibility::with_visibility;
use crate::kernel::work_pool::no_thread;
use std::sync::Arc;
use tgp_base::call::Call;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_base::mode::Mode;
use tgp_base::threads;
use tgp_state::Origin;
use tgp_vfs::JailPath;

impl Runs {
    /// Starts a run, which `parent` waits for. `done` is called once, from any thread. Never blocks.
    pub fn submit(self: &Arc<Self>, request: ExecRequest, parent: Option<RunId>, done: ExecDone) {
        // From now on it can be cancelled.
        let done = self.announce(request.run, done);
        if !self.enters_quickly(&request) {
            let runs = Arc::clone(self);
            let admit = move |(request, done)| {
                if let Some(entered) = runs.admitted(request, parent, done) {
                    runs.exec_tool(entered);
                }
            };
            if let Err((_, done)) = self.starting.spawn_with((), (request, done), admit) {
                done.complete(Err(no_thread()));
            }
            return;
        }
        // A panic drops `done`, which reports the end.
        let Ok(Some(entered)) = threads::contain(|| self.admitted(request, parent, done)) else { return };
        let Ok(Some(slow)) = threads::contain(|| self.exec_tool_at_once(entered)) else { return };
        let runs = Arc::clone(self);
        if let Err(entered) = self.starting.spawn_with((), slow, move |entered| runs.exec_tool(entered)) {
            entered.refuse(no_thread());
        }
    }

    /// The admitted run; none if it was refused, or is part of the run of its parent and started there.
    fn admitted(self: &Arc<Self>, request: ExecRequest, parent: Option<RunId>, done: ExecDone) -> Option<EnteredRun> {
        let entered = self.enter(request, parent, done)?;
        match parent {
            Some(parent) => self.exec_tool_below(parent, entered),
            None => Some(entered),
        }
    }

    /// Whether a run can be admitted on the caller's thread: its texts are short, as they are searched for secrets and hashed
    /// for the ledger, and there are no rules, or its module graph is cached and valid.
    fn enters_quickly(&self, request: &ExecRequest) -> bool {
        if !request.is_short() {
            return false;
        }
        if self.services.door.gate().is_open_to(&request.options.caller) {
            return true;
        }
        let tool = match &request.what {
            Runnable::Tool(path) => JailPath::parse(path).ok(),
            Runnable::Code(_) | Runnable::Test(_) => None,
        };
        // Checking a token reads a file.
        let has_token = request.options.caller.token.is_some();
        let is_explored = self.mode_of(&request.options) == Mode::Explore;
        !has_token && is_explored && tool.is_some_and(|tool| self.modules().graph_quickly(&tool).is_some())
    }

    /// Admits a run, which `parent` waits for; none when it was refused and `done` was called.
    fn enter(&self, mut request: ExecRequest, parent: Option<RunId>, done: ExecDone) -> Option<EnteredRun> {
        if parent.and_then(|parent| self.open.host(parent)).is_some_and(|host| host.is_dry()) {
            request.options.set_dry_run();
        }
        let caller = Arc::clone(&request.options.caller);
        let ExecRequest { run, what, args_json, options } = &request;
        // Invalid limits are refused at the start.
        let wall = options.limits(self.limits_for(what)).ok().map(|limits| limits.wall);
        let call = Call {
            parent: parent.map(|parent| parent.0),
            wall,
            approval: caller.approval.as_deref(),
            ..run_call(*run, what, args_json, &caller)
        };
        let through = if parent.is_some() { Origin::Run } else { Origin::Call };
        let (entered, graph) =
            self.with_texts(what, options, through, |details| enter(&self.services.door, call, details, None, done));
        match entered {
            Ok(Entered { done, approved, visibility, budget }) => {
                request.options.approved = approved;
                request.options.visibility = visibility;
                request.options.budget = budget.filter(|budget| wall.is_none_or(|wall| *budget < wall));
                Some(EnteredRun { request, done, graph })
            }
            Err((error, done)) => {
                done.complete(Err(error));
                None
            }
        }
    }

    /// Runs a tool; `done` is called once, from any thread.
    fn exec_tool(self: &Arc<Self>, entered: EnteredRun) {
        let EnteredRun { request, done, graph } = entered;
        let ExecRequest { run, what, args_json, options } = request;
        match options.limits(self.limits_for(&what)) {
            Ok(limits) => {
                let (scope, done) = self.recorded(run, &what, self.scope(run, limits, options), done);
                self.exec(run, scope, what, args_json, graph, done);
            }
            Err(error) => done.complete(Err(error)),
        }
    }

    /// Starts a run on the caller's thread if that is fast: the module graph is cached and has few files to check.
    /// Otherwise gives everything back.
    fn exec_tool_at_once(self: &Arc<Self>, entered: EnteredRun) -> Option<EnteredRun> {
        let EnteredRun { request, done, graph } = entered;
        let kind = request.options.caller_kind;
        // The test state may have to be read first.
        if self.mode_of(&request.options) != Mode::Explore {
            return Some(EnteredRun { request, done, graph });
        }
        let tool = match &request.what {
            Runnable::Tool(path) if request.is_short() => JailPath::parse(path).ok(),
            Runnable::Tool(_) | Runnable::Code(_) | Runnable::Test(_) => None,
        };
        let Some(tool) = tool else { return Some(EnteredRun { request, done, graph }) };
        let graph = graph.or_else(|| self.services.modules.graph_quickly(&tool));
        let is_quick = |graph: &ModuleGraph| self.services.checks.gates_quickly(kind, graph);
        let graph = match graph {
            Some(graph) if is_quick(&graph) => graph,
            graph => return Some(EnteredRun { request, done, graph }),
        };
        let ExecRequest { run, what, args_json, options } = request;
        let started = options
            .limits(self.config.limits())
            .and_then(|limits| self.admit(&args_json, limits.memory_bytes, &options, &graph).map(|()| limits))
            .map(|limits| self.scope(run, limits, options));
        match started {
            Ok(scope) => self.start(run, scope, &what, args_json.into(), graph, done),
            Err(error) => done.complete(Err(error)),
        }
        None
    }

    /// Runs a tool for a function of the application that `parent` waits for: nested in that run and within its
    /// remaining budget, so that the two cannot deadlock. When `parent` is over, requests of an unfinished function are
    /// refused, and others are given back, as they are not part of the run.
    fn exec_tool_below(self: &Arc<Self>, parent: RunId, entered: EnteredRun) -> Option<EnteredRun> {
        let EnteredRun { request, done, graph } = entered;
        let host = self.open.host(parent);
        if request.options.is_dry() && host.as_ref().is_some_and(|host| !host.is_dry()) {
            done.complete(Err(cannot_turn_dry(request.what.path())));
            return None;
        }
        let below = host.and_then(|host| host.begin_below(request.run));
        let Some((scope, begun)) = below else {
            if !request.options.below {
                return Some(EnteredRun { request, done, graph });
            }
            done.complete(Err(Error::new(ErrorCode::Aborted, "The run of the requesting function is over.")));
            return None;
        };
        let ExecRequest { run, what, args_json, options } = request;
        match options.limits(self.config.limits()) {
            Err(error) => done.complete(Err(error)),
            Ok(limits) => {
                let scope = scope.started_by_function(run, limits, options);
                let done = when_executed(move |result| {
                    if let Err(error) = &result {
                        begun.failed(error);
                    }
                    drop(begun);
                    done.complete(result);
                });
                Arc::clone(self).begin_nested(run, scope, what, args_json, graph, done);
            }
        }
        None
    }

    pub(in crate::kernel::runs) fn exec(
        self: &Arc<Self>,
        run: RunId,
        scope: RunScope,
        what: Runnable,
        args_json: String,
        judged: Option<ModuleGraph>,
        done: ExecDone,
    ) {
        if matches!(what, Runnable::Test(_)) && scope.test.is_none() {
            let message = "A function of the application cannot run tests while a tool waits for it.";
            return done.complete(Err(Error::new(ErrorCode::Limit, message)));
        }
        let compiling = Stage::begin("compile", &scope);
        let memory = scope.limits.memory_bytes;
        let graph = with_visibility(scope.options.visibility.clone(), || {
            let graph = judged.map_or_else(|| self.graph(&what, scope.test.as_deref()), Ok)?;
            self.admit(&args_json, memory, &scope.options, &graph)?;
            self.may_run(&what, &scope, &graph)?;
            Ok(graph)
        });
        compiling.end(run, &scope);
        match graph {
            Ok(graph) => self.start(run, scope, &what, args_json.into(), graph, done),
            Err(error) => done.complete(Err(error)),
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
