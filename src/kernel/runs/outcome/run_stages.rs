//! Timing of a run's phases, for traced runs.

use super::exec_value::{ExecValue, as_json};
use crate::kernel::door::{Door, Phase, millis};
use crate::kernel::runs::scope::run_scope::RunScope;
use std::time::SystemTime;
use tgp_base::error::Error;
use tgp_base::ids::RunId;

/// A phase that has begun.
pub struct Stage {
    name: &'static str,
    start: f64,
}

impl Stage {
    /// Reads the clock only if the run is traced.
    pub fn begin(name: &'static str, scope: &RunScope) -> Self {
        Self { name, start: if scope.trace.is_some() { millis(SystemTime::now()) } else { 0.0 } }
    }

    pub fn end(self, run: RunId, scope: &RunScope) {
        self.end_at(millis(SystemTime::now()), run, scope);
    }

    fn end_at(self, end: f64, run: RunId, scope: &RunScope) {
        if let Some(trace) = scope.trace.as_ref().filter(|_| scope.is_application_run(run)) {
            trace.phase(Phase { name: self.name, start: self.start, end: end.max(self.start) });
        }
    }
}

/// Adds the trace to the end of a run. `after` is the number of ledger events before it.
pub fn traced(
    result: Result<ExecValue, Error>,
    run: RunId,
    scope: &RunScope,
    queued: Stage,
    door: &Door,
    after: Option<u64>,
) -> Result<ExecValue, Error> {
    let Some(trace) = scope.trace.as_ref().filter(|_| scope.is_application_run(run)) else { return result };
    let wall_ms = match &result {
        Ok(value) => Some(value.stats().wall_ms),
        Err(error) => error.details.get("stats").and_then(|stats| stats.get("wallMs")?.as_f64()),
    };
    let end = millis(SystemTime::now());
    let started = end - wall_ms.unwrap_or_default();
    queued.end_at(started, run, scope);
    if wall_ms.is_some() {
        Stage { name: "run", start: started }.end_at(end, run, scope);
    }
    let report = trace.report(door.name(run.0), after);
    match result {
        Ok(value) => Ok(value.traced(report)),
        Err(error) => Err(error.with("trace", as_json(&report))),
    }
}
