//! `exec_tool`: runs of tools in the sandbox.

use super::confinement::ConfinementReport;
use super::entered_run::{Entered, EnteredRun, enter, run_call};
use super::exec_options::{ExecOptions, ExecRequest, Runnable};
use super::exec_value::{ExecDone, ExecValue, when_executed};
use super::guest_files::GuestFiles;
use super::open_runs::{OpenRuns, RunIntent};
use super::previewed_run::{cannot_turn_dry, previewed};
use super::run_conclusion::conclude;
use super::run_scope::RunScope;
use super::run_stages::{Stage, traced};
use super::sandbox_host::{GuestServices, RunStarter, SandboxHost};
use super::test_scope::{coverage_of, functions_for};
use crate::kernel::checks::Checks;
use crate::kernel::config::SandboxConfig;
use crate::kernel::door::Door;
use crate::kernel::history::RunExamples;
use crate::kernel::host_functions::{HostFunctions, RunEnding};
use crate::kernel::modules::{ModuleGraph, Modules};
use crate::kernel::test_first::TestFirst;
use crate::kernel::tools::{Storing, Tools};
use crate::kernel::visibility::with_visibility;
use crate::kernel::work_pool::WorkPool;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tgp_base::bound_secrets::BoundSecrets;
use tgp_base::call::Call;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::RunId;
use tgp_base::threads;
use tgp_net::Fetcher;
use tgp_sandbox::{Host, RunLimits, RunRequest, Sandbox, when_done};
use tgp_sql::Dialect;
use tgp_state::{Mode, Origin};
use tgp_vfs::{JailPath, RunWriteQuota};

/// The number of the first nested run, far above those that JavaScript assigns.
const FIRST_NESTED_RUN: u64 = 1 << 32;

/// Compiling and bundling are CPU-bound, so more threads gain nothing.
const BACKGROUND_THREADS: usize = 2;

/// The dependencies of runs.
pub struct RunParts {
    pub config: SandboxConfig,
    pub sandbox: Sandbox,
    pub modules: Arc<Modules>,
    pub checks: Arc<Checks>,
    pub tools: Arc<Tools>,
    /// Collects successful runs for pull requests; none without them.
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
    /// Admits and starts runs that take long to compile.
    pub(super) starting: WorkPool<()>,
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
            starting: WorkPool::new("tgp-runs", BACKGROUND_THREADS),
            next_nested: AtomicU64::new(FIRST_NESTED_RUN),
        })
    }

    /// Ends every run and every worker.
    pub fn stop(&self) {
        self.sandbox.shutdown();
    }

    /// The confinement of a worker; waits until the first one is ready.
    pub fn confinement(&self) -> Result<ConfinementReport, Error> {
        Ok(ConfinementReport::new(self.config.isolation, self.sandbox.confinement()?))
    }

    /// Whether a run can be admitted on the caller's thread: its texts are short, as they are searched for secrets and hashed
    /// for the ledger, and there are no rules, or its module graph is cached and valid.
    pub(super) fn enters_quickly(&self, request: &ExecRequest) -> bool {
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
    pub(super) fn enter(&self, mut request: ExecRequest, parent: Option<RunId>, done: ExecDone) -> Option<EnteredRun> {
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
    pub(super) fn exec_tool(self: &Arc<Self>, entered: EnteredRun) {
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
    pub(super) fn exec_tool_at_once(self: &Arc<Self>, entered: EnteredRun) -> Option<EnteredRun> {
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
    pub(super) fn exec_tool_below(self: &Arc<Self>, parent: RunId, entered: EnteredRun) -> Option<EnteredRun> {
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

    /// Adds a run to the table of open runs, so that it can be cancelled; removes it before its end is reported.
    pub(super) fn announce(self: &Arc<Self>, run: RunId, done: ExecDone) -> ExecDone {
        self.open.open(run);
        let runs = Arc::clone(self);
        when_executed(move |result| {
            runs.open.close(run);
            done.complete(result);
        })
    }

    /// Cancels a run; does nothing when it is over.
    pub fn cancel_run(&self, run: RunId) {
        self.open.cancel(run);
        self.sandbox.cancel(run);
    }

    /// The SQL dialect of the application's database.
    #[must_use]
    pub fn sql_dialect(&self) -> Dialect {
        self.services.functions.sql_dialect()
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

    /// The configured limits.
    pub(super) fn limits(&self) -> RunLimits {
        self.config.limits()
    }

    /// The scope of an internal run, without a caller.
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
        // Counts uses of tools only, not code without a file, tests or previews.
        let is_counted = matches!(what, Runnable::Tool(_)) && scope.preview.is_none() && scope.test.is_none();
        let counted = is_counted.then(|| entry.clone());
        let args = Arc::clone(&args_json);
        let owner: Arc<str> = scope.options.caller.owner().into();
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
            coverage: coverage_of(&scope),
            lineage: scope.lineage,
            tree: Arc::clone(&scope.tree),
            deadline: scope.deadline(),
            host: Arc::clone(&host) as Arc<dyn Host>,
            caller: Arc::clone(&owner),
        };
        let services = Arc::clone(&self.services);
        let door = Arc::clone(&services.door);
        let (after, queued) = (door.size(), Stage::begin("queue", &scope));
        self.sandbox.run(
            sandboxed,
            when_done(move |outcome| {
                // The transactions of the run are closed even if this panics.
                let concluded = threads::contain(|| {
                    if let Some(test) = &scope.test {
                        test.saw_all(&graph);
                    }
                    let result = conclude(outcome, &path, &scope, &graph, &api);
                    if let (Ok(value), Some(counted)) = (&result, &counted) {
                        if tools.was_run(&owner, counted, &args) == Storing::Due {
                            let tools = Arc::clone(&tools);
                            services.background.spawn_or_run(run, move || tools.store_counts());
                        }
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
        // A cancellation before the sandbox knew the run is repeated here.
        if self.open.intent(run) == RunIntent::Cancel {
            self.sandbox.cancel(run);
        }
    }
}
