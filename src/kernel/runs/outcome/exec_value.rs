//! The value of a successful run, and the callback for the end of a run.

use crate::kernel::door::TraceReport;
use crate::kernel::runs::files::run_preview::PreviewReport;
use serde::Serialize;
use serde_json::value::RawValue;
use tgp_base::error::Error;
use tgp_base::threads::OnceCallback;
use tgp_sandbox::{LogLine, RunStats};

/// The value of a successful run.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct ExecValue {
    #[cfg_attr(test, ts(type = "any"))]
    result: Box<RawValue>,
    logs: Vec<LogLine>,
    stats: RunStats,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace: Option<TraceReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<PreviewReport>,
}

impl ExecValue {
    pub fn new(result: Box<RawValue>, logs: Vec<LogLine>, stats: RunStats) -> Self {
        Self { result, logs, stats, trace: None, preview: None }
    }

    /// Adds a trace.
    pub fn traced(self, report: TraceReport) -> Self {
        Self { trace: Some(report), ..self }
    }

    /// Adds the preview of a dry run.
    pub fn previewed(self, report: PreviewReport) -> Self {
        Self { preview: Some(report), ..self }
    }

    /// Replaces the result.
    pub fn with_result(self, result: Box<RawValue>) -> Self {
        Self { result, ..self }
    }

    pub fn stats(&self) -> RunStats {
        self.stats
    }

    /// The result as JSON.
    pub fn result(&self) -> &str {
        self.result.get()
    }

    /// The result and the logs.
    pub fn into_parts(self) -> (Box<RawValue>, Vec<LogLine>) {
        (self.result, self.logs)
    }

    /// The value, or the error of a failed commit.
    pub fn unless(self, finished: Result<String, Error>) -> Result<Self, Error> {
        match finished {
            Ok(_) => Ok(self),
            Err(error) => Err(error.with("logs", as_json(&self.logs)).with("stats", as_json(&self.stats))),
        }
    }
}

/// Called once with the end of a run.
pub type ExecDone = OnceCallback<Result<ExecValue, Error>>;

/// Calls `callback` with the end of a run.
pub fn when_executed(callback: impl FnOnce(Result<ExecValue, Error>) + Send + 'static) -> ExecDone {
    OnceCallback::new(|| Err(Error::panicked()), callback)
}

/// A value as JSON, for the details of an error.
pub fn as_json(value: &impl Serialize) -> serde_json::Value {
    serde_json::to_value(value).unwrap_or_default()
}
