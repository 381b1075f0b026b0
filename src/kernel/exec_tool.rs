//! `exec_tool`: a tool, compiled with what it imports, run in the sandbox.

use super::check_gate::Caller;
use super::config::{GitWriteStrategy, MEMORY_MB, TIMEOUT_MS, WALL_MS};
use super::host_functions::Verdict;
use super::kernel::Kernel;
use super::module_graph::{ModuleGraph, Sources};
use super::run_registry::Wish;
use super::run_scope::RunScope;
use super::sandbox_host::SandboxHost;
use super::stack_trace::map_trace;
use crate::error::{Error, ErrorCode};
use crate::ids::RunId;
use crate::sandbox::{GuestError, LogLine, RunEnd, RunLimits, RunOutcome, RunRequest, RunStats, SandboxError};
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
pub struct ExecValue {
    result: Box<RawValue>,
    logs: Vec<LogLine>,
    stats: RunStats,
}

impl ExecValue {
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
pub type ExecDone = Box<dyn FnOnce(Result<ExecValue, Error>) + Send>;

impl Kernel {
    /// Runs a tool; `done` is called once, from any thread.
    pub fn exec_tool(self: &Arc<Self>, request: ExecRequest, done: ExecDone) {
        let ExecRequest { run, path, args_json, options } = request;
        match self.limits(&options) {
            Ok(limits) => {
                self.exec(run, RunScope::outermost(run, limits, options, self.run_writes()), path, args_json, done);
            }
            Err(error) => done(Err(error)),
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
        let done = self.closing(run, done);
        let started = self
            .limits(&options)
            .and_then(|limits| self.admit(&args_json, caller, &graph).map(|()| limits))
            .map(|limits| RunScope::outermost(run, limits, options, self.run_writes()));
        match started {
            Ok(scope) => self.start(run, scope, path, args_json, graph, done),
            Err(error) => done(Err(error)),
        }
        None
    }

    /// Runs a tool that another one asks for, within what is left of its time.
    pub(super) fn exec_nested(
        self: &Arc<Self>,
        run: RunId,
        outer: &RunScope,
        path: String,
        args_json: String,
        done: ExecDone,
    ) {
        let scope = outer.nested();
        let most = self.config.sandbox.call_depth;
        if scope.depth > most {
            let message = format!(
                "{path} was not run: tools may run tools {most} deep (sandbox.callDepth). Check for a tool that runs itself without end."
            );
            return done(Err(Error::new(ErrorCode::Limit, message)));
        }
        self.announce_run(run);
        let kernel = Arc::clone(self);
        // Compiling takes its time, and the other questions of the outer run must not wait for it.
        self.background.spawn(move || kernel.exec(run, scope, path, args_json, done));
    }

    pub(super) fn next_nested_run(&self) -> RunId {
        RunId(self.nested_runs.fetch_add(1, Ordering::Relaxed))
    }

    fn exec(self: &Arc<Self>, run: RunId, scope: RunScope, path: String, args_json: String, done: ExecDone) {
        let done = self.closing(run, done);
        let graph = JailPath::parse(&path)
            .map_err(Error::from)
            .and_then(|entry| self.graphs.get(&self.sources(), entry))
            .and_then(|graph| self.admit(&args_json, scope.options.caller, &graph).map(|()| graph));
        match graph {
            Ok(graph) => self.start(run, scope, path, args_json, graph, done),
            Err(error) => done(Err(error)),
        }
    }

    /// Takes note that the run is over before anyone hears of it.
    fn closing(self: &Arc<Self>, run: RunId, done: ExecDone) -> ExecDone {
        let kernel = Arc::clone(self);
        Box::new(move |result| {
            kernel.runs.close(run);
            done(result);
        })
    }

    /// Notes a run before it is prepared, so that it can be cancelled from then on.
    pub fn announce_run(&self, run: RunId) {
        self.runs.open(run);
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

    fn run_writes(&self) -> RunWrites {
        let sandbox = &self.config.sandbox;
        RunWrites::new(sandbox.write_bytes.into(), sandbox.write_files.into())
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
        args_json: String,
        graph: ModuleGraph,
        done: ExecDone,
    ) {
        let graph = Arc::new(graph);
        let limits = scope.limits;
        let entry = graph.modules.first().map(|module| module.path.clone()).unwrap_or_default();
        let (registry, counted) = (Arc::clone(&self.registry), entry.clone());
        let shown = (self.config.git.write_strategy == GitWriteStrategy::Pr)
            .then(|| (Arc::clone(&self.examples), args_json.clone()));
        let (seed, now, depth) = (scope.options.seed, scope.options.now, scope.depth);
        let host = Arc::new(SandboxHost::new(self, scope, Arc::clone(&graph)));
        let sandboxed = RunRequest {
            run,
            entry,
            modules: Arc::clone(&graph.modules),
            packages: graph.packages.clone(),
            args_json: args_json.into(),
            api: self.functions.names(),
            limits,
            seed: seed.or(self.config.sandbox.seed),
            now: now.or(self.config.sandbox.now),
            depth,
            host: Arc::new(Arc::clone(&host)),
        };
        self.sandbox.run(
            sandboxed,
            Box::new(move |outcome| {
                let result = conclude(outcome, &path, &limits, &graph);
                if let Ok(value) = &result {
                    registry.count_use(&counted);
                    if let Some((examples, args_json)) = &shown {
                        examples.record(&counted, args_json, value.result.get());
                    }
                }
                let verdict = if result.is_ok() { Verdict::Commit } else { Verdict::Rollback };
                host.finish(verdict, Box::new(move |finished| done(result.and_then(|value| value.unless(finished)))));
            }),
        );
        // A cancellation that came before the sandbox knew the run has missed it.
        if self.runs.wish(run) == Wish::Cancel {
            self.sandbox.cancel(run);
        }
    }
}

/// The outcome as users see it.
fn conclude(
    outcome: Result<RunOutcome, SandboxError>,
    path: &str,
    limits: &RunLimits,
    graph: &ModuleGraph,
) -> Result<ExecValue, Error> {
    let RunOutcome { end, logs, stats, stack } = outcome?;
    let error = match end {
        RunEnd::Value(json) => match RawValue::from_string(json) {
            Ok(result) => return Ok(ExecValue { result, logs, stats }),
            Err(_) => Error::new(ErrorCode::Result, format!("The result of {path} is not valid JSON.")),
        },
        RunEnd::Thrown(thrown) => thrown_error(&thrown, path, graph),
        RunEnd::BadResult(message) => Error::new(ErrorCode::Result, message),
        RunEnd::CpuTimeout => {
            let message = format!(
                "{path} timed out: it used up its {} ms of CPU time. Do less per run, or raise timeoutMs.",
                limits.cpu.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::WallTimeout => {
            let message = format!(
                "{path} timed out: it gave no result within {} ms. Check for a promise that never settles, or raise wallMs.",
                limits.wall.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::OutOfMemory => {
            let message = format!(
                "{path} ran out of memory: heap and buffers together may use {} MB. Work on less data at a time, or raise memoryMb.",
                limits.memory_bytes >> 20
            );
            Error::new(ErrorCode::IsolateMemory, message)
        }
        RunEnd::Cancelled => Error::new(ErrorCode::Aborted, format!("The run of {path} was aborted.")),
        RunEnd::Crashed(_) => Error::new(
            ErrorCode::IsolateCrashed,
            format!(
                "The sandbox ended while it ran {path}, and was replaced. Look for very large allocations in the tool."
            ),
        ),
    };
    let error = if stack.is_empty() { error } else { traced(error, &stack, graph) };
    Err(error.with("path", path).with("logs", as_json(&logs)).with("stats", as_json(&stats)))
}

fn thrown_error(thrown: &GuestError, path: &str, graph: &ModuleGraph) -> Error {
    let code = thrown.host_code.as_deref().and_then(ErrorCode::parse).unwrap_or(ErrorCode::ToolThrown);
    let message =
        if thrown.message.is_empty() { format!("{path} threw {}", thrown.name) } else { thrown.message.clone() };
    let mut error = Error::new(code, message);
    if !thrown.name.is_empty() {
        error = error.with("name", thrown.name.as_str());
    }
    traced(error, &thrown.stack, graph)
}

/// The error with the guest's stack and the place on top of it.
fn traced(mut error: Error, stack: &str, graph: &ModuleGraph) -> Error {
    let trace = map_trace(stack, graph);
    if !trace.text.is_empty() {
        error = error.with("stack", trace.text);
    }
    match trace.top {
        Some(place) => error.with("file", place.path).with("line", place.line).with("column", place.column),
        None => error,
    }
}

fn as_json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}
