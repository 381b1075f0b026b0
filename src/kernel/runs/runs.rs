//! `exec_tool`: runs of tools in the sandbox.

use super::confinement::ConfinementReport;
use super::entered_run::EnteredRun;
use super::files::guest_files::GuestFiles;
use super::open_runs::{OpenRuns, RunIntent};
use super::outcome::exec_value::{ExecDone, ExecValue, when_executed};
use super::outcome::run_conclusion::{conclude, is_crash, previewed};
use super::outcome::run_stages::{Stage, traced};
use super::sandbox_host::{GuestServices, RunStarter, SandboxHost};
use super::scope::exec_options::{ExecOptions, Runnable};
use super::scope::run_scope::RunScope;
use super::scope::run_terms::{RunAdmission, RunTerms};
use crate::kernel::checks::Checks;
use crate::kernel::config::SandboxConfig;
use crate::kernel::door::Door;
use crate::kernel::history::RunExamples;
use crate::kernel::host_functions::{HostFunctions, RunEnding};
use crate::kernel::modules::{ModuleGraph, Modules};
use crate::kernel::test_first::TestFirst;
use crate::kernel::tools::Tools;
use crate::kernel::work_pool::WorkPool;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tgp_base::bound_secrets::BoundSecrets;
use tgp_base::error::Error;
use tgp_base::ids::RunId;
use tgp_base::threads;
use tgp_net::Fetcher;
use tgp_sandbox::{Host, RunLimits, RunRequest, Sandbox, when_done};
use tgp_sql::Dialect;
use tgp_vfs::RunWriteQuota;

/// The number of the first nested run, far above those that JavaScript assigns.
const FIRST_NESTED_RUN: u64 = 1 << 32;

/// Compiling and bundling are CPU-bound, so more threads gain nothing.
const BACKGROUND_THREADS: usize = 2;

/// The dependencies of runs.
pub struct RunDeps {
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
    guest_files: Arc<GuestFiles>,
    pub(super) services: Arc<GuestServices>,
    pub(super) open: OpenRuns,
    /// Admits and starts runs that take long to compile.
    pub(super) starting: WorkPool<()>,
    pub(super) next_nested: AtomicU64,
}

impl Runs {
    pub fn new(deps: RunDeps) -> Arc<Self> {
        let RunDeps { config, sandbox, modules, checks, tools, examples, .. } = deps;
        let RunDeps { functions, guest_files, fetcher, secrets, door, tests, .. } = deps;
        let background = WorkPool::new("tgp-host", BACKGROUND_THREADS);
        let services =
            Arc::new(GuestServices { functions, secrets, modules, checks, fetcher, background, door, tests });
        Arc::new(Self {
            config,
            sandbox,
            tools,
            examples,
            guest_files: Arc::new(guest_files),
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
        self.scope(run, RunTerms { options: ExecOptions::default(), limits, admission: RunAdmission::default() })
    }

    pub(super) fn scope(&self, run: RunId, terms: RunTerms) -> RunScope {
        let config = &self.config;
        let writes = RunWriteQuota::new(config.write_bytes.into(), config.write_files.into());
        let preview = terms.admission.caller.dry_run.then(|| self.guest_files.preview());
        let mut scope = RunScope::outermost(run, terms, config.tree_limits(), writes);
        scope.preview = preview;
        scope
    }

    /// Runs a checked run in the sandbox.
    pub(super) fn execute(self: &Arc<Self>, entered: EnteredRun, mut scope: RunScope, graph: ModuleGraph) {
        let EnteredRun { run, what, args_json, done, .. } = entered;
        let args_json: Arc<str> = args_json.into();
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
        let owner: Arc<str> = scope.admission.caller.owner().into();
        let shown = self.examples.as_ref().map(|examples| (Arc::clone(examples), Arc::clone(&args_json)));
        let host = Arc::new(SandboxHost::new(
            Arc::clone(&self.services),
            Arc::clone(self) as Arc<dyn RunStarter>,
            run,
            scope.clone(),
            Arc::clone(&self.guest_files),
            Arc::clone(&graph),
        ));
        let api = scope.functions(self.services.functions.names());
        self.open.serve(run, &host);
        let sandboxed = RunRequest {
            run,
            entry,
            modules: Arc::clone(&graph.modules),
            packages: graph.packages.clone(),
            args_json,
            api: Arc::clone(&api),
            limits,
            seed: scope.seed.or(self.config.seed),
            now: scope.now.or(self.config.now),
            coverage: scope.coverage(),
            lineage: scope.lineage,
            tree: Arc::clone(&scope.tree),
            deadline: scope.deadline(),
            host: Arc::clone(&host) as Arc<dyn Host>,
            owner: Arc::clone(&owner),
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
                    let has_crashed = is_crash(&outcome);
                    let result = conclude(outcome, &path, &scope, &graph, &api);
                    if has_crashed && let Err(error) = &result {
                        services.functions.warn(&error.message);
                    }
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
        // A cancellation before the sandbox knew the run is repeated here.
        if self.open.intent(run) == RunIntent::Cancel {
            self.sandbox.cancel(run);
        }
    }
}
