//! `exec_tool`: a tool, compiled with what it imports, run in the sandbox.

use super::check_gate::Caller;
use super::config::{GitWriteStrategy, MEMORY_MB, TIMEOUT_MS, WALL_MS};
use super::host_functions::Verdict;
use super::kernel::Kernel;
use super::module_graph::{ModuleGraph, Sources};
use super::run_conclusion::{as_json, conclude, out_of_nested_time};
use super::run_registry::Wish;
use super::run_scope::RunScope;
use super::sandbox_host::SandboxHost;
use crate::error::{Error, ErrorCode};
use crate::ids::RunId;
use crate::sandbox::{LogLine, NestedRun, RunLimits, RunRequest, RunStats, TreeLimits, when_done};
use crate::threads::{self, Owed};
use crate::vfs::{JailPath, RunWrites};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Arguments up to this size fit into a worker's pipe, so that nobody waits while they are sent.
const QUICK_ARGS: usize = 64 << 10;

/// What a caller may decide for one run.
#[derive(Debug, Clone, Default, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ExecOptions {
    timeout_ms: Option<u32>,
    wall_ms: Option<u32>,
    memory_mb: Option<u32>,
    seed: Option<u64>,
    #[serde(default)]
    pub(super) caller: Caller,
    now: Option<i64>,
}

/// One run that a caller asks for.
pub struct ExecRequest {
    pub run: RunId,
    pub path: String,
    pub args_json: String,
    pub options: ExecOptions,
}

/// A run that gave a value.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExecValue {
    #[cfg_attr(test, ts(type = "any"))]
    result: Box<RawValue>,
    logs: Vec<LogLine>,
    stats: RunStats,
}

impl ExecValue {
    pub(super) fn new(result: Box<RawValue>, logs: Vec<LogLine>, stats: RunStats) -> Self {
        Self { result, logs, stats }
    }

    /// The result and what was logged on the way to it.
    pub(super) fn into_parts(self) -> (Box<RawValue>, Vec<LogLine>) {
        (self.result, self.logs)
    }

    /// The value, unless what it stands on could not be made to last.
    fn unless(self, finished: Result<String, Error>) -> Result<Self, Error> {
        match finished {
            Ok(_) => Ok(self),
            Err(error) => Err(error.with("logs", as_json(&self.logs)).with("stats", as_json(&self.stats))),
        }
    }
}

/// Called once with the end of a run.
pub type ExecDone = Owed<Result<ExecValue, Error>>;

/// Has the end of a run go to `callback`.
pub fn when_executed(callback: impl FnOnce(Result<ExecValue, Error>) + Send + 'static) -> ExecDone {
    Owed::new(|| Err(Error::panicked()), callback)
}

impl Kernel {
    /// Runs a tool; `done` is called once, from any thread.
    pub fn exec_tool(self: &Arc<Self>, request: ExecRequest, done: ExecDone) {
        let ExecRequest { run, path, args_json, options } = request;
        match self.limits(&options) {
            Ok(limits) => self.exec(run, self.scope(run, limits, options), path, args_json, done),
            Err(error) => done.pay(Err(error)),
        }
    }

    /// Starts a run on the caller's thread if that takes it next to no time: the tool is known, and a few looks tell that
    /// its files are what they were. Otherwise nothing has happened, and everything is given back.
    pub fn exec_tool_at_once(
        self: &Arc<Self>,
        request: ExecRequest,
        done: ExecDone,
    ) -> Option<(ExecRequest, ExecDone)> {
        let caller = request.options.caller;
        let known = (request.args_json.len() <= QUICK_ARGS)
            .then(|| JailPath::parse(&request.path).ok())
            .flatten()
            .and_then(|path| self.graphs.get_quickly(&*self.vfs, &path))
            .filter(|graph| self.gates_quickly(caller, graph));
        let Some(graph) = known else { return Some((request, done)) };
        let ExecRequest { run, path, args_json, options } = request;
        let started = self
            .limits(&options)
            .and_then(|limits| self.admit(&args_json, caller, &graph).map(|()| limits))
            .map(|limits| self.scope(run, limits, options));
        match started {
            Ok(scope) => self.start(run, scope, path, args_json.into(), graph, done),
            Err(error) => done.pay(Err(error)),
        }
        None
    }

    /// Runs a tool that another one asks for, within what is left to the root of both.
    pub(super) fn exec_nested(
        self: &Arc<Self>,
        run: RunId,
        scope: RunScope,
        path: String,
        args_json: String,
        done: ExecDone,
    ) {
        let live = match self.admit_nested(&scope, &path) {
            Ok(live) => live,
            Err(error) => return done.pay(Err(error)),
        };
        let done = when_executed(move |result| {
            drop(live);
            done.pay(result);
        });
        let done = self.announce_run(run, done);
        let kernel = Arc::clone(self);
        // Compiling takes its time, and the other questions of the outer run must not wait for it.
        self.background.spawn(scope.root(), move || kernel.exec(run, scope, path, args_json, done));
    }

    /// Counts one more run below its root, if it may have one.
    fn admit_nested(&self, scope: &RunScope, path: &str) -> Result<NestedRun, Error> {
        let refused = |why: String| Error::new(ErrorCode::Limit, format!("{path} was not run: {why}"));
        let most = self.config.sandbox.call_depth;
        if scope.lineage.depth > most {
            return Err(refused(format!(
                "tools may run tools {most} deep (sandbox.callDepth). Check for a tool that runs itself without end."
            )));
        }
        let TreeLimits { runs, cpu, .. } = scope.tree.limits();
        if scope.tree.cpu_left().is_zero() {
            return Err(refused(out_of_nested_time(cpu)));
        }
        scope.tree.enter().ok_or_else(|| {
            refused(format!(
                "the tool that was run first and those below it have {runs} runs under way already (sandbox.nestedRuns). Await some of them first, or do the work in fewer runs."
            ))
        })
    }

    pub(super) fn next_nested_run(&self) -> RunId {
        RunId(self.nested_runs.fetch_add(1, Ordering::Relaxed))
    }

    fn exec(self: &Arc<Self>, run: RunId, scope: RunScope, path: String, args_json: String, done: ExecDone) {
        let graph = JailPath::parse(&path)
            .map_err(Error::from)
            .and_then(|entry| self.graphs.get(&self.sources(), entry))
            .and_then(|graph| self.admit(&args_json, scope.options.caller, &graph).map(|()| graph));
        match graph {
            Ok(graph) => self.start(run, scope, path, args_json.into(), graph, done),
            Err(error) => done.pay(Err(error)),
        }
    }

    /// Notes a run before it is prepared, so that it can be cancelled from then on; and that it is over, before anyone
    /// hears of it, however it ends.
    pub fn announce_run(self: &Arc<Self>, run: RunId, done: ExecDone) -> ExecDone {
        self.runs.open(run);
        let kernel = Arc::clone(self);
        when_executed(move |result| {
            kernel.runs.close(run);
            done.pay(result);
        })
    }

    /// Ends a run early; nothing when it is over.
    pub fn cancel_run(&self, run: RunId) {
        self.runs.cancel(run);
        self.sandbox.cancel(run);
    }

    /// Refuses arguments that are too large, and tools that the configuration does not let run.
    fn admit(&self, args_json: &str, caller: Caller, graph: &ModuleGraph) -> Result<(), Error> {
        let most = self.config.sandbox.args_bytes as usize;
        if args_json.len() > most {
            let message = format!(
                "The arguments are {} bytes of JSON; the limit is {most} (sandbox.argsBytes). Pass less, or a path to a file.",
                args_json.len()
            );
            return Err(Error::new(ErrorCode::Validation, message).with("field", "args"));
        }
        self.gate_run(caller, graph)
    }

    /// Where the modules of runs come from.
    pub(super) fn sources(&self) -> Sources<'_> {
        Sources { vfs: &*self.vfs, compiler: &self.compiler, cache: &self.tools, packages: &self.packages }
    }

    fn scope(&self, run: RunId, limits: RunLimits, options: ExecOptions) -> RunScope {
        let sandbox = &self.config.sandbox;
        let writes = RunWrites::new(sandbox.write_bytes.into(), sandbox.write_files.into());
        RunScope::outermost(run, limits, sandbox.tree_limits(), options, writes)
    }

    fn limits(&self, options: &ExecOptions) -> Result<RunLimits, Error> {
        let mut limits = self.config.sandbox.limits();
        if let Some(value) = options.timeout_ms {
            TIMEOUT_MS.check(value, "", ErrorCode::Validation)?;
            limits.cpu = Duration::from_millis(value.into());
            limits.wall = limits.wall.max(limits.cpu);
        }
        if let Some(value) = options.wall_ms {
            WALL_MS.check(value, "", ErrorCode::Validation)?;
            limits.wall = Duration::from_millis(value.into());
        }
        if let Some(value) = options.memory_mb {
            MEMORY_MB.check(value, "", ErrorCode::Validation)?;
            limits.memory_bytes = u64::from(value) << 20;
        }
        Ok(limits)
    }

    fn start(
        self: &Arc<Self>,
        run: RunId,
        scope: RunScope,
        path: String,
        args_json: Arc<str>,
        graph: ModuleGraph,
        done: ExecDone,
    ) {
        let graph = Arc::new(graph);
        let limits = scope.limits;
        let entry = graph.modules.first().map(|module| module.path.clone()).unwrap_or_default();
        let (registry, counted) = (Arc::clone(&self.registry), entry.clone());
        let shown = (self.config.git.write_strategy == GitWriteStrategy::Pr)
            .then(|| (Arc::clone(&self.examples), Arc::clone(&args_json)));
        let host = Arc::new(SandboxHost::new(self, run, scope.clone(), Arc::clone(&graph)));
        let sandboxed = RunRequest {
            run,
            entry,
            modules: Arc::clone(&graph.modules),
            packages: graph.packages.clone(),
            args_json,
            api: self.functions.names(),
            limits,
            seed: scope.options.seed.or(self.config.sandbox.seed),
            now: scope.options.now.or(self.config.sandbox.now),
            lineage: scope.lineage,
            tree: Arc::clone(&scope.tree),
            deadline: scope.deadline(),
            host: Arc::new(Arc::clone(&host)),
        };
        self.sandbox.run(
            sandboxed,
            when_done(move |outcome| {
                // Whatever goes wrong in here, what the run holds open is closed.
                let concluded = threads::contain(|| {
                    let result = conclude(outcome, &path, &scope, &graph);
                    if let Ok(value) = &result {
                        registry.count_use(&counted);
                        if let Some((examples, args_json)) = &shown {
                            examples.record(&counted, args_json, value.result.get());
                        }
                    }
                    result
                });
                let result = concluded.unwrap_or_else(|_| Err(Error::panicked()));
                let verdict = if result.is_ok() { Verdict::Commit } else { Verdict::Rollback };
                let finished = move |finished| done.pay(result.and_then(|value: ExecValue| value.unless(finished)));
                host.finish(verdict, Box::new(finished));
            }),
        );
        // A cancellation that came before the sandbox knew the run has missed it.
        if self.runs.wish(run) == Wish::Cancel {
            self.sandbox.cancel(run);
        }
    }
}
