//! Converts the outcome of a run into a value, or an error with its TypeScript position.

use super::exec_value::{ExecValue, as_json};
use super::stack_trace::{TracePositions, map_trace};
use crate::kernel::modules::ModuleGraph;
use crate::kernel::runs::scope::run_scope::RunScope;
use serde_json::value::RawValue;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode, PartError};
use tgp_base::spelling::{did_you_mean, nearest};
use tgp_compile::instead_of_global;
use tgp_sandbox::{GuestError, JsonShape, ModuleKind, RunEnd, RunLimits, RunOutcome, SandboxError};

/// Deepest result. A guest's stack allows some 2 600 levels, `JSON.stringify` in the application some 4 100.
const MAX_RESULT_DEPTH: usize = 4000;
/// The folder in the paths of packages.
const PACKAGES: &str = "node_modules/";
/// Bounds the memory of the parsed result: one of empty arrays only would take 25 times its length.
const BYTES_PER_CONTAINER: u32 = 8;

/// Whether the worker of the run failed, instead of the run.
pub fn is_crash(outcome: &Result<RunOutcome, SandboxError>) -> bool {
    match outcome {
        Ok(outcome) => matches!(outcome.end, RunEnd::Crashed(_)),
        Err(error) => error.code() == ErrorCode::IsolateCrashed,
    }
}

/// The value or error of an outcome.
pub fn conclude(
    outcome: Result<RunOutcome, SandboxError>,
    path: &str,
    scope: &RunScope,
    graph: &ModuleGraph,
    api: &[String],
) -> Result<ExecValue, Error> {
    let RunOutcome { end, logs, stats, stack } = outcome?;
    let stats = stats.rounded();
    let limits = &scope.limits;
    let error = match end {
        RunEnd::Value(json) => match result_of(json, path, limits) {
            Ok(result) => return Ok(ExecValue::new(result, logs, stats)),
            Err(error) => error,
        },
        RunEnd::Thrown(thrown) => thrown_error(&thrown, path, graph, api),
        RunEnd::BadResult(message) => Error::new(ErrorCode::Result, message),
        RunEnd::CpuTimeout if !scope.is_outermost() && scope.tree.cpu_left().is_zero() => {
            let message = format!("{path} timed out: {}", out_of_nested_time(scope.tree.limits().cpu));
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::CpuTimeout => {
            let message = format!(
                "{path} timed out: it used its {} ms of CPU time (sandbox.timeoutMs). Check for an endless loop; otherwise do less per run, or do the heavy part in SQL.",
                limits.cpu.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::PackageTimeout => Error::new(ErrorCode::IsolateTimeout, out_of_package_time(path, scope, graph)),
        RunEnd::WallTimeout if scope.admission.budget == Some(limits.wall) => {
            let message = format!(
                "{path} timed out: it gave no result within {} ms, the rest of its token's budget. Do less, or request a new token.",
                limits.wall.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::WallTimeout => {
            let message = format!(
                "{path} timed out: it gave no result within {} ms. Check for a promise that never settles, or do less waiting (sandbox.wallMs).",
                limits.wall.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::OutOfMemory => {
            let message = format!(
                "{path} ran out of memory: heap and buffers together may use {} MB (sandbox.memoryMb). Process less data at a time: page through it, keep totals instead of rows.",
                limits.memory_bytes >> 20
            );
            Error::new(ErrorCode::IsolateMemory, message)
        }
        RunEnd::Cancelled => Error::new(ErrorCode::Aborted, format!("The run of {path} was aborted.")),
        RunEnd::Crashed(cause) => {
            let message =
                format!("The worker of {path} ended unexpectedly and was replaced: {cause}. {}", cause.advice());
            Error::new(ErrorCode::IsolateCrashed, message)
        }
    };
    let error = if stack.is_empty() { error } else { with_stack(error, &stack, TracePositions::Compiled, graph) };
    Err(error.with("path", path).with("logs", as_json(&logs)).with("stats", as_json(&stats)))
}

/// The result, if it is valid and within the limits.
fn result_of(json: String, path: &str, limits: &RunLimits) -> Result<Box<RawValue>, Error> {
    let refused = |why: String| Error::new(ErrorCode::Result, format!("The result of {path} {why}."));
    if json.len() > limits.result_bytes as usize {
        return Err(refused(format!("is {} bytes of JSON; the limit is {}", json.len(), limits.result_bytes)));
    }
    // Each level, array and object takes a bracket: most results are too short to need a scan.
    let shape = if json.len() > MAX_RESULT_DEPTH { JsonShape::of(&json) } else { JsonShape::default() };
    if shape.depth > MAX_RESULT_DEPTH {
        return Err(refused(format!("is nested deeper than {MAX_RESULT_DEPTH} levels; return flatter data")));
    }
    let most = limits.result_bytes / BYTES_PER_CONTAINER;
    if shape.containers > (most as usize).max(MAX_RESULT_DEPTH) {
        return Err(refused(format!(
            "has {} arrays and objects; the limit is {most}, one for each {BYTES_PER_CONTAINER} bytes of sandbox.resultBytes. Return less data, or a page of it",
            shape.containers
        )));
    }
    RawValue::from_string(json).map_err(|_| refused("is not valid JSON".to_owned()))
}

pub fn out_of_nested_time(cpu: Duration) -> String {
    format!(
        "the nested runs of one tool may use {} ms of CPU time together (sandbox.nestedTimeoutMs). Do less in them.",
        cpu.as_millis()
    )
}

/// The message for a run whose packages took too long to load. It names those that are not imported dynamically.
fn out_of_package_time(path: &str, scope: &RunScope, graph: &ModuleGraph) -> String {
    let packages = graph.modules.iter().filter(|module| module.kind == ModuleKind::Package);
    let names: Vec<&str> = packages.map(|module| module.path.trim_start_matches(PACKAGES)).collect();
    let named = if names.is_empty() { String::new() } else { format!(" ({})", names.join(", ")) };
    let is_nested = !scope.is_outermost() && scope.tree.package_load_left().is_zero();
    let (runs, advice) = if is_nested {
        (" of all nested runs of one tool", "Run fewer tools with packages")
    } else {
        ("", "Import a smaller part of them, such as a subpath")
    };
    format!(
        "{path} timed out: loading its packages{named} took more than the {} ms of CPU time{runs} that it may take (sandbox.packageLoadMs). {advice}, or raise the limit.",
        scope.limits.package_load.as_millis()
    )
}

fn thrown_error(thrown: &GuestError, path: &str, graph: &ModuleGraph, api: &[String]) -> Error {
    let code = thrown.host_code.as_deref().and_then(ErrorCode::parse).unwrap_or(ErrorCode::ToolThrown);
    let message = match unknown_function(thrown, api).or_else(|| absent_global(thrown, api)) {
        Some(message) => message,
        None if thrown.message.is_empty() => format!("{path} threw {}", thrown.name),
        None => thrown.message.clone(),
    };
    let mut error = Error::new(code, message);
    if !thrown.name.is_empty() {
        error = error.with("name", thrown.name.as_str());
    }
    with_stack(error, &thrown.stack, TracePositions::Source, graph)
}

/// The built-in functions of `tgp`.
const BUILT_IN: [&str; 6] = ["read_file", "list_files", "write_file", "exec_tool", "fetch", "log"];

/// The message for an unknown function of `tgp`, with a suggestion and the known ones.
fn unknown_function(thrown: &GuestError, api: &[String]) -> Option<String> {
    let name = thrown.message.strip_prefix("tgp.")?.strip_suffix(" is not a function")?;
    let known: Vec<&str> = BUILT_IN.into_iter().chain(api.iter().map(String::as_str)).collect();
    if thrown.name != "TypeError" || known.contains(&name) {
        return None;
    }
    let advice = if name == "exec_sql" {
        " No database is configured: take the data as an argument.".to_owned()
    } else {
        did_you_mean(nearest(name, known.iter().copied()))
    };
    Some(format!("{}.{advice} tgp has {}.", thrown.message, known.join(", ")))
}

/// The message for a global that tools do not have, with its replacement. Unchecked code gets the same advice as from
/// the check.
fn absent_global(thrown: &GuestError, api: &[String]) -> Option<String> {
    let name = thrown.message.strip_suffix(" is not defined").filter(|_| thrown.name == "ReferenceError")?;
    let advice = match instead_of_global(name) {
        Some(advice) => advice.to_owned(),
        None if api.iter().any(|function| function == name) => {
            format!("It is a function of tgp: call tgp.{name}(…).")
        }
        None => return None,
    };
    Some(format!("{}. {advice}", thrown.message))
}

/// Adds the guest's stack and its top position to the error.
fn with_stack(mut error: Error, stack: &str, positions: TracePositions, graph: &ModuleGraph) -> Error {
    let trace = map_trace(stack, positions, graph);
    if !trace.text.is_empty() {
        error = error.with("stack", trace.text);
    }
    match trace.top {
        Some(at) => error.with("file", at.path).with("line", at.line).with("column", at.column),
        None => error,
    }
}

/// Adds the preview to the end of a dry run. To an error only if it may be caused by a refused effect, after which a
/// real run would have gone on.
pub fn previewed(result: Result<ExecValue, Error>, scope: &RunScope) -> Result<ExecValue, Error> {
    let Some(preview) = scope.preview.as_ref().filter(|_| scope.is_outermost()) else { return result };
    match result {
        Ok(value) => Ok(value.previewed(preview.report()?)),
        Err(error) if preview.has_refused() && !is_unrelated(error.code) => {
            Err(error.with("preview", as_json(&preview.report()?)))
        }
        Err(error) => Err(error),
    }
}

/// Whether an error cannot be caused by a refused effect.
const fn is_unrelated(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::IsolateTimeout
            | ErrorCode::IsolateMemory
            | ErrorCode::IsolateCrashed
            | ErrorCode::Aborted
            | ErrorCode::Shutdown
            | ErrorCode::Internal
    )
}
