//! Timing of a run's phases and calls.

use parking_lot::Mutex;
use serde::Serialize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

/// Most host calls of a run that are listed.
const MAX_CALLS: usize = 1000;
/// Most bytes of their texts together: paths come from the guest.
const MAX_BYTES: usize = 1 << 20;

/// A phase of a run.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Phase {
    pub name: &'static str,
    /// Milliseconds since 1970.
    pub start: f64,
    pub end: f64,
}

/// A call of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct TracedCall {
    pub call: String,
    pub parent: Option<String>,
    pub tool: String,
    pub effect: &'static str,
    pub start: f64,
    pub end: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// The trace of an ended run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct TraceReport {
    pub call: String,
    /// The number of ledger events when the run was requested.
    #[cfg_attr(test, ts(type = "number"))]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<u64>,
    pub phases: Vec<Phase>,
    pub calls: Vec<TracedCall>,
    /// The number of calls that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    #[cfg_attr(test, ts(as = "Option<_>", optional))]
    pub left_out: usize,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks for a reference")]
const fn is_zero(number: &usize) -> bool {
    *number == 0
}

/// Collects the phases and calls of a run and its nested runs.
#[derive(Debug, Default)]
pub struct Trace {
    phases: Mutex<Vec<Phase>>,
    calls: Mutex<TracedCalls>,
    left_out: AtomicUsize,
}

#[derive(Debug, Default)]
struct TracedCalls {
    all: Vec<TracedCall>,
    bytes: usize,
}

impl TracedCall {
    /// The size of its texts.
    fn bytes(&self) -> usize {
        let Self { call, parent, tool, path, .. } = self;
        call.len() + tool.len() + parent.as_ref().map_or(0, String::len) + path.as_ref().map_or(0, String::len)
    }
}

impl Trace {
    pub fn phase(&self, phase: Phase) {
        self.phases.lock().push(phase);
    }

    pub fn call(&self, call: TracedCall) {
        let mut calls = self.calls.lock();
        let bytes = calls.bytes.saturating_add(call.bytes());
        if calls.all.len() < MAX_CALLS && bytes <= MAX_BYTES {
            calls.bytes = bytes;
            calls.all.push(call);
        } else {
            self.left_out.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Takes what was collected so far.
    pub fn report(&self, call: String, after: Option<u64>) -> TraceReport {
        let phases = std::mem::take(&mut *self.phases.lock());
        let calls = std::mem::take(&mut *self.calls.lock()).all;
        TraceReport { call, after, phases, calls, left_out: self.left_out.swap(0, Ordering::Relaxed) }
    }
}

/// Milliseconds since 1970.
#[must_use]
pub fn millis(moment: SystemTime) -> f64 {
    moment.duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64() * 1e3)
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_CALLS, Trace, TracedCall};

    fn call(path: &str) -> TracedCall {
        TracedCall {
            call: "p-1".to_owned(),
            parent: None,
            tool: "read_file".to_owned(),
            effect: "read",
            start: 0.0,
            end: 1.0,
            code: None,
            path: Some(path.to_owned()),
        }
    }

    #[test]
    fn calls_are_bounded_by_their_number_and_by_their_bytes() {
        let trace = Trace::default();
        (0..MAX_CALLS + 5).for_each(|_| trace.call(call("a.ts")));
        let report = trace.report("p-0".to_owned(), None);
        assert_eq!((report.calls.len(), report.left_out), (MAX_CALLS, 5));
        let long = "x".repeat(MAX_BYTES / 4);
        (0..10).for_each(|_| trace.call(call(&long)));
        trace.call(call("b.ts"));
        let report = trace.report("p-0".to_owned(), None);
        assert_eq!((report.calls.len(), report.left_out), (4, 7));
        assert!(serde_json::to_string(&report).unwrap().len() < MAX_BYTES * 2);
    }
}
