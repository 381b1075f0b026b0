//! The outcome of a nested run, as JSON for the realm of its parent.

use super::exec_value::ExecValue;
use super::stack_trace::inner_trace;
use serde::Serialize;
use serde_json::value::RawValue;
use tgp_base::error::{Error, ErrorCode};
use tgp_sandbox::LogLine;

/// Size of an answer without its texts.
const SMALL: usize = 256;

/// The outcome with logs, which the guest logs again as its own.
#[derive(Serialize)]
struct NestedOutcome {
    logs: serde_json::Value,
    failure: Option<Failure>,
    result: Option<Box<RawValue>>,
}

#[derive(Serialize)]
struct Failure {
    code: &'static str,
    message: String,
    /// The stack in the nested tool's source.
    stack: Option<String>,
}

impl Failure {
    fn new(error: Error) -> Self {
        let stack = error.details.get("stack").and_then(serde_json::Value::as_str);
        let stack = stack.map(|stack| inner_trace(error.code.as_str(), &error.message, stack));
        Self { code: error.code.as_str(), message: error.message, stack }
    }
}

/// The outcome as JSON text.
pub fn outcome_text(result: Result<ExecValue, Error>) -> Result<String, Error> {
    let outcome = match result {
        Ok(value) => {
            let (result, logs) = value.into_parts();
            NestedOutcome { logs: logs_by_number(&logs), failure: None, result: Some(result) }
        }
        Err(mut error) => NestedOutcome {
            logs: logs_by_number(&error.details.remove("logs").map(logs_of).unwrap_or_default()),
            failure: Some(Failure::new(error)),
            result: None,
        },
    };
    let text = outcome.result.as_ref().map_or(0, |result| result.get().len());
    let mut json = Vec::with_capacity(text + SMALL);
    serde_json::to_writer(&mut json, &outcome).map_err(|_| unwritable())?;
    String::from_utf8(json).map_err(|_| unwritable())
}

fn logs_of(details: serde_json::Value) -> Vec<LogLine> {
    serde_json::from_value(details).unwrap_or_default()
}

/// Logs with numeric levels, as the realm's log function takes them.
fn logs_by_number(logs: &[LogLine]) -> serde_json::Value {
    logs.iter()
        .map(|line| {
            let level = line.level.number();
            serde_json::json!({ "level": level, "message": line.message })
        })
        .collect()
}

pub fn unwritable() -> Error {
    Error::new(ErrorCode::Result, "The result cannot be serialised as JSON.")
}

/// The error of a run that may have no more side effects.
pub fn given_up() -> Error {
    Error::new(ErrorCode::Aborted, "the run is over, or the tool that started it has returned without waiting for it")
}

/// The error of a run with side effects that was not awaited.
pub fn unawaited(mut error: Error) -> Error {
    error.message.push_str(" (in a tool that was started and not awaited)");
    error
}
