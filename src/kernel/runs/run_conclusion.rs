//! The end of a run as users see it: a value, or an error with the place in the TypeScript source.

use super::exec_value::{ExecValue, as_json};
use super::run_scope::RunScope;
use super::stack_trace::{Told, map_trace};
use crate::kernel::modules::ModuleGraph;
use serde_json::value::RawValue;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::spelling::{did_you_mean, nearest};
use tgp_compile::instead_of_global;
use tgp_sandbox::{GuestError, JsonShape, RunEnd, RunLimits, RunOutcome, SandboxError};

/// Deepest result. Guests have the stack for some 2 600 levels, and the application, to write it as JSON, for some 4 100.
const MAX_RESULT_DEPTH: usize = 4000;
/// A result of nothing but empty arrays would take the application 25 times its length.
const BYTES_PER_CONTAINER: u32 = 8;

/// The outcome as users see it.
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
                "{path} timed out: it used up its {} ms of CPU time (sandbox.timeoutMs). Look for an endless loop; else do less per run, or the heavy part in SQL.{}",
                limits.cpu.as_millis(),
                loading(graph)
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::WallTimeout if scope.options.budget == Some(limits.wall) => {
            let message = format!(
                "{path} timed out: it gave no result within {} ms, which is what its token has left of its budget. Do less, or ask for a new token.",
                limits.wall.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::WallTimeout => {
            let message = format!(
                "{path} timed out: it gave no result within {} ms. Check for a promise that never settles, or wait for less (sandbox.wallMs).",
                limits.wall.as_millis()
            );
            Error::new(ErrorCode::IsolateTimeout, message)
        }
        RunEnd::OutOfMemory => {
            let message = format!(
                "{path} ran out of memory: heap and buffers together may use {} MB (sandbox.memoryMb). Work on less data at a time: page through it, keep totals instead of rows.",
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
    let error = if stack.is_empty() { error } else { traced(error, &stack, Told::Compiled, graph) };
    Err(error.with("path", path).with("logs", as_json(&logs)).with("stats", as_json(&stats)))
}

/// The result, if it is one that an engine could have given.
fn result_of(json: String, path: &str, limits: &RunLimits) -> Result<Box<RawValue>, Error> {
    let refused = |why: String| Error::new(ErrorCode::Result, format!("The result of {path} {why}."));
    if json.len() > limits.result_bytes as usize {
        return Err(refused(format!("is {} bytes of JSON; the limit is {}", json.len(), limits.result_bytes)));
    }
    // Each level takes a bracket, and so does each array and object: most results are too short for a closer look.
    let shape = if json.len() > MAX_RESULT_DEPTH { JsonShape::of(&json) } else { JsonShape::default() };
    if shape.depth > MAX_RESULT_DEPTH {
        return Err(refused(format!("is nested deeper than {MAX_RESULT_DEPTH} levels; return flatter data")));
    }
    let most = limits.result_bytes / BYTES_PER_CONTAINER;
    if shape.containers > (most as usize).max(MAX_RESULT_DEPTH) {
        return Err(refused(format!(
            "holds {} arrays and objects; the limit is {most}, one for each {BYTES_PER_CONTAINER} bytes of sandbox.resultBytes. Return less data, or a page of it",
            shape.containers
        )));
    }
    RawValue::from_string(json).map_err(|_| refused("is not valid JSON".to_owned()))
}

pub fn out_of_nested_time(cpu: Duration) -> String {
    format!(
        "the runs that one tool starts, directly or not, may use {} ms of CPU time together (sandbox.nestedTimeoutMs). Do less in them.",
        cpu.as_millis()
    )
}

/// What counts beside the tool's own work.
fn loading(graph: &ModuleGraph) -> &'static str {
    if graph.packages.is_empty() {
        ""
    } else {
        " The packages that it imports are loaded anew by every run, and that counts: import less of them, or raise the limit."
    }
}

fn thrown_error(thrown: &GuestError, path: &str, graph: &ModuleGraph, api: &[String]) -> Error {
    let code = thrown.host_code.as_deref().and_then(ErrorCode::parse).unwrap_or(ErrorCode::ToolThrown);
    let message = match unknown_function(thrown, api).or_else(|| absent_global(thrown)) {
        Some(message) => message,
        None if thrown.message.is_empty() => format!("{path} threw {}", thrown.name),
        None => thrown.message.clone(),
    };
    let mut error = Error::new(code, message);
    if !thrown.name.is_empty() {
        error = error.with("name", thrown.name.as_str());
    }
    traced(error, &thrown.stack, Told::Source, graph)
}

/// What every tool finds on `tgp`, beside what the application adds.
const BUILT_IN: [&str; 6] = ["read_file", "list_files", "write_file", "exec_tool", "fetch", "log"];

/// The message of a call to a function of `tgp` that does not exist, with those that do.
fn unknown_function(thrown: &GuestError, api: &[String]) -> Option<String> {
    let name = thrown.message.strip_prefix("tgp.")?.strip_suffix(" is not a function")?;
    let known: Vec<&str> = BUILT_IN.into_iter().chain(api.iter().map(String::as_str)).collect();
    if thrown.name != "TypeError" || known.contains(&name) {
        return None;
    }
    let advice = if name == "exec_sql" {
        " There is no database here: take the data as an argument.".to_owned()
    } else {
        did_you_mean(nearest(name, known.iter().copied()))
    };
    Some(format!("{}.{advice} tgp has {}.", thrown.message, known.join(", ")))
}

/// The message of a look at a global that tools do not have, with what to use instead. What the check says of the source, a
/// run says of code that nobody has checked.
fn absent_global(thrown: &GuestError) -> Option<String> {
    let name = thrown.message.strip_suffix(" is not defined").filter(|_| thrown.name == "ReferenceError")?;
    Some(format!("{}. {}", thrown.message, instead_of_global(name)?))
}

/// The error with the guest's stack and the place on top of it.
fn traced(mut error: Error, stack: &str, told: Told, graph: &ModuleGraph) -> Error {
    let trace = map_trace(stack, told, graph);
    if !trace.text.is_empty() {
        error = error.with("stack", trace.text);
    }
    match trace.top {
        Some(at) => error.with("file", at.path).with("line", at.line).with("column", at.column),
        None => error,
    }
}
