//! `exec_tool`: a tool, compiled with what it imports, run in the sandbox.

use super::confinement::ConfinementReport;
use super::entered_run::{Entered, EnteredRun, RunAsker, enter};
use super::exec_options::{ExecOptions, ExecRequest, Runnable};
use super::exec_value::{ExecDone, ExecValue, when_executed};
use super::guest_files::GuestFiles;
use super::open_runs::{OpenRuns, RunIntent};
use super::previewed_run::{cannot_turn_dry, previewed};
use super::run_conclusion::conclude;
use super::run_scope::RunScope;
use super::run_stages::{Stage, traced};
use super::sandbox_host::{GuestServices, RunStarter, SandboxHost};
use super::test_scope::{counting_of, functions_for};
use crate::kernel::checks::Checks;
use crate::kernel::config::SandboxConfig;
use crate::kernel::door::Door;
use crate::kernel::history::RunExamples;
use crate::kernel::host_functions::{HostFunctions, RunEnding};
use crate::kernel::modules::{ModuleGraph, Modules};
use crate::kernel::sight::seeing;
use crate::kernel::test_first::TestFirst;
use crate::kernel::tools::Tools;
use crate::kernel::work_pool::WorkPool;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tgp_base::bound_secrets::BoundSecrets;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_base::threads;
use tgp_net::Fetcher;
use tgp_sandbox::{Host, RunLimits, RunRequest, Sandbox, when_done};
use tgp_state::{Mode, Origin};
use tgp_vfs::{JailPath, RunWriteQuota};

/// Arguments up to this size fit into a worker's pipe, so that nobody waits while they are sent.
const QUICK_ARGS: usize = 64 << 10;
/// The number of the first nested run, far above those that JavaScript gives out.
const FIRST_NESTED_RUN: u64 = 1 << 32;

/// Compiling and bundling use the processor, so more threads than this gain nothing.
const BACKGROUND_THREADS: usize = 2;

/// What runs are made with.
pub struct RunParts {
    pub config: SandboxConfig,
    pub sandbox: Sandbox,
    pub modules: Arc<Modules>,
    pub checks: Arc<Checks>,
    pub tools: Arc<Tools>,
    /// Where good runs are noted, if somebody reads of them.
    pub examples: Option<Arc<RunExamples>>,
    pub functions: Arc<dyn HostFunctions>,
    pub guest_files: GuestFiles,
    pub fetcher: Fetcher,
    pub secrets: BoundSecrets,
    pub door: Arc<Door>,
    pub tests: Arc<TestFirst>,
}

/// Owns the sandbox and every run in it.
pub struct Runs {
    pub(super) config: SandboxConfig,
    sandbox: Sandbox,
    tools: Arc<Tools>,
    examples: Option<Arc<RunExamples>>,
    guest_files: GuestFiles,
    pub(super) services: Arc<GuestServices>,
    open: OpenRuns,
    pub(super) next_nested: AtomicU64,
}

impl Runs {
    pub fn new(parts: RunParts) -> Arc<Self> {
        let RunParts { config, sandbox, modules, checks, tools, examples, .. } = parts;
        let RunParts { functions, guest_files, fetcher, secrets, door, tests, .. } = parts;
        let background = WorkPool::new("tgp-host", BACKGROUND_THREADS);
        let services =
            Arc::new(GuestServices { functions, secrets, modules, checks, fetcher, background, door, tests });
        Arc::new(Self {
            config,
            sandbox,
            tools,
            examples,
            guest_files,
            services,
            open: OpenRuns::default(),
            next_nested: AtomicU64::new(FIRST_NESTED_RUN),
        })
    }

    /// Ends every run and every worker.
    pub fn stop(&self) {
        self.sandbox.shutdown();
    }

    /// Asks a worker what holds it; waits until the first one is ready.
    pub fn confinement(&self) -> Result<ConfinementReport, Error> {
        Ok(ConfinementReport::new(self.config.isolation, self.sandbox.confinement()?))
    }

    /// Whether a run is let in without a look at what it is made of: there are no rules, or its tool is known and as it was.
    /// Otherwise its text may have to be compiled for those who judge it.
    pub fn enters_quickly(&self, request: &ExecRequest) -> bool {
        if self.services.door.gate().is_open_to(&request.options.asker) {
            return true;
        }
        let tool = match &request.what {
            Runnable::Tool(path) if request.args_json.len() <= QUICK_ARGS => JailPath::parse(path).ok(),
            Runnable::Tool(_) | Runnable::Code(_) | Runnable::Test(_) => None,
        };
        // A token is looked up in a file.
        let has_token = request.options.asker.token.is_some();
        let is_explored = self.mode_of(&request.options) == Mode::Explore;
        !has_token && is_explored && tool.is_some_and(|tool| self.modules().graph_quickly(&tool).is_some())
    }

    /// Asks the door for a run, which `parent` waits for; nothing when it was refused, and told so.
    pub fn enter(&self, mut request: ExecRequest, parent: Option<RunId>, done: ExecDone) -> Option<EnteredRun> {
        if parent.and_then(|parent| self.open.host(parent)).is_some_and(|host| host.is_dry()) {
            request.options.be_dry();
        }
        let asker = Arc::clone(&request.options.asker);
        let approval = asker.approval.as_deref();
        let ExecRequest { run, what, args_json, options } = &request;
        // Limits that are not valid are refused when it starts.
        let wall = options.limits(self.limits_for(what)).ok().map(|limits| limits.wall);
        let by = RunAsker { asker: &asker, parent, tool: None, trace: None, wall, approval };
        let through = if parent.is_some() { Origin::Run } else { Origin::Call };
        let (entered, graph) = self.with_texts(what, options, through, |texts| {
            enter(&self.services.door, *run, what, args_json, by, texts, done)
        });
        match entered {
            Ok(Entered { done, approved, sight, budget }) => {
                request.options.approved = approved;
                request.options.sight = sight;
                request.options.budget = budget.filter(|budget| wall.is_none_or(|wall| *budget < wall));
                Some(EnteredRun { request, done, graph })
            }
            Err((error, done)) => {
                done.complete(Err(error));
                None
            }
        }
    }

    /// Runs a tool; its end is told once, from any thread.
    pub fn exec_tool(self: &Arc<Self>, entered: EnteredRun) {
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

    /// Starts a run on the caller's thread if that takes it next to no time: the tool is known, and a few looks tell that
    /// its files are what they were. Otherwise nothing has happened, and everything is given back.
    pub fn exec_tool_at_once(self: &Arc<Self>, entered: EnteredRun) -> Option<EnteredRun> {
        let EnteredRun { request, done, graph } = entered;
        let caller = request.options.caller;
        // What the tests of a tool say may have to be read first.
        if self.mode_of(&request.options) != Mode::Explore {
            return Some(EnteredRun { request, done, graph });
        }
        let tool = match &request.what {
            Runnable::Tool(path) if request.args_json.len() <= QUICK_ARGS => JailPath::parse(path).ok(),
            Runnable::Tool(_) | Runnable::Code(_) | Runnable::Test(_) => None,
        };
        let Some(tool) = tool else { return Some(EnteredRun { request, done, graph }) };
        let graph = graph.or_else(|| self.services.modules.graph_quickly(&tool));
        let is_quick = |graph: &ModuleGraph| self.services.checks.gates_quickly(caller, graph);
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

    /// Runs a tool that a function of the application asks for while `parent` waits for it: below that run, within what is
    /// left to the root of both, so that the two never wait for each other. When `parent` is over, what an unfinished function
    /// asks for is refused, and everything else is given back: what a function has left behind is no part of a run.
    pub fn exec_tool_below(self: &Arc<Self>, parent: RunId, entered: EnteredRun) -> Option<EnteredRun> {
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
            done.complete(Err(Error::new(
                ErrorCode::Aborted,
                "The run is over: the function that asks belongs to it.",
            )));
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

    pub(super) fn exec(
        self: &Arc<Self>,
        run: RunId,
        scope: RunScope,
        what: Runnable,
        args_json: String,
        judged: Option<ModuleGraph>,
        done: ExecDone,
    ) {
        if matches!(what, Runnable::Test(_)) && scope.test.is_none() {
            let message = "Tests cannot be run by a function of the application while a tool waits for it.";
            return done.complete(Err(Error::new(ErrorCode::Limit, message)));
        }
        let compiling = Stage::begin("compile", &scope);
        let memory = scope.limits.memory_bytes;
        let graph = seeing(scope.options.sight.clone(), || {
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

    /// Notes a run before it is prepared, so that it can be cancelled from then on; and that it is over, before anyone
    /// hears of it, however it ends.
    pub fn announce_run(self: &Arc<Self>, entered: EnteredRun) -> EnteredRun {
        let EnteredRun { request, done, graph } = entered;
        let done = self.announce(request.run, done);
        EnteredRun { request, done, graph }
    }

    /// The same before it is known whether it is let in.
    pub fn announce(self: &Arc<Self>, run: RunId, done: ExecDone) -> ExecDone {
        self.open.open(run);
        let runs = Arc::clone(self);
        when_executed(move |result| {
            runs.open.close(run);
            done.complete(result);
        })
    }

    /// Ends a run early; nothing when it is over.
    pub fn cancel_run(&self, run: RunId) {
        self.open.cancel(run);
        self.sandbox.cancel(run);
    }

    pub(super) fn modules(&self) -> &Modules {
        &self.services.modules
    }

    pub(super) fn services(&self) -> &Arc<GuestServices> {
        &self.services
    }

    pub(super) fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// What every run may take.
    pub(super) fn limits(&self) -> RunLimits {
        self.config.limits()
    }

    /// The scope of a run that nobody has asked for.
    pub(super) fn bare_scope(&self, run: RunId, limits: RunLimits) -> RunScope {
        self.scope(run, limits, ExecOptions::default())
    }

    fn scope(&self, run: RunId, limits: RunLimits, options: ExecOptions) -> RunScope {
        let config = &self.config;
        let writes = RunWriteQuota::new(config.write_bytes.into(), config.write_files.into());
        let preview = options.is_dry().then(|| self.guest_files.preview());
        let mut scope = RunScope::outermost(run, limits, config.tree_limits(), options, writes);
        scope.preview = preview;
        scope
    }

    fn start(
        self: &Arc<Self>,
        run: RunId,
        mut scope: RunScope,
        what: &Runnable,
        args_json: Arc<str>,
        graph: ModuleGraph,
        done: ExecDone,
    ) {
        let graph = Arc::new(graph);
        let limits = scope.limits;
        let entry = graph.modules.first().map(|module| module.path.clone()).unwrap_or_default();
        let tools = Arc::clone(&self.tools);
        let path = what.path().to_owned();
        scope.tool = Arc::from(path.as_str());
        // Code that is kept nowhere is no tool that anybody could use again; and neither a test nor a preview is a use of one.
        let is_counted = matches!(what, Runnable::Tool(_)) && scope.preview.is_none() && scope.test.is_none();
        let counted = is_counted.then(|| entry.clone());
        let args = Arc::clone(&args_json);
        let owner: Arc<str> = scope.options.asker.owner().into();
        let shown = self.examples.as_ref().map(|examples| (Arc::clone(examples), Arc::clone(&args_json)));
        let host = Arc::new(SandboxHost::new(
            Arc::clone(&self.services),
            Arc::clone(self) as Arc<dyn RunStarter>,
            run,
            scope.clone(),
            self.guest_files.for_run(&scope.writes, scope.preview.as_deref()),
            Arc::clone(&graph),
        ));
        let api = functions_for(&scope, self.services.functions.names());
        self.open.serve(run, &host);
        let sandboxed = RunRequest {
            run,
            entry,
            modules: Arc::clone(&graph.modules),
            packages: graph.packages.clone(),
            args_json,
            api: Arc::clone(&api),
            limits,
            seed: scope.options.seed.or(self.config.seed),
            now: scope.options.now.or(self.config.now),
            counting: counting_of(&scope),
            lineage: scope.lineage,
            tree: Arc::clone(&scope.tree),
            deadline: scope.deadline(),
            host: Arc::clone(&host) as Arc<dyn Host>,
            caller: Arc::clone(&owner),
        };
        let door = Arc::clone(&self.services.door);
        let (after, queued) = (door.size(), Stage::begin("queue", &scope));
        self.sandbox.run(
            sandboxed,
            when_done(move |outcome| {
                // Whatever goes wrong in here, what the run holds open is closed.
                let concluded = threads::contain(|| {
                    if let Some(test) = &scope.test {
                        test.saw_all(&graph);
                    }
                    let result = conclude(outcome, &path, &scope, &graph, &api);
                    if let (Ok(value), Some(counted)) = (&result, &counted) {
                        tools.was_run(&owner, counted, &args);
                        if let Some((examples, args_json)) = &shown {
                            examples.record(counted, args_json, value.result(), |word| graph.spells(word));
                        }
                    }
                    result
                });
                let result = concluded.unwrap_or_else(|_| Err(Error::panicked()));
                let result = traced(result, run, &scope, queued, &door, after);
                let result = previewed(result, &scope);
                let ending = if result.is_ok() { RunEnding::Commit } else { RunEnding::Rollback };
                let finished =
                    move |finished| done.complete(result.and_then(|value: ExecValue| value.unless(finished)));
                host.finish(ending, Box::new(finished));
            }),
        );
        // A cancellation that came before the sandbox knew the run has missed it.
        if self.open.intent(run) == RunIntent::Cancel {
            self.sandbox.cancel(run);
        }
    }
}
