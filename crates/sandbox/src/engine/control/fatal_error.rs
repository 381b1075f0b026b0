//! Handlers for fatal errors and out-of-memory conditions of V8.

use super::engine_control::EngineControl;
use super::process_exit::exit_now;
use crate::crash_cause::{CrashCause, EXIT_FATAL, EXIT_MEMORY};
use crate::message::Fitness;
use crate::run_end::RunEnd;
use std::ffi::c_char;
use std::sync::{Arc, OnceLock};

/// The engine control that the handlers report to, in a worker process.
static WORKER: OnceLock<Arc<EngineControl>> = OnceLock::new();

/// Installs the handlers: a fatal error of V8 ends the current run of `control`, and this process.
pub fn end_process_on(control: &Arc<EngineControl>) {
    let _first = WORKER.set(Arc::clone(control));
    v8::V8::set_fatal_error_handler(on_fatal_error);
}

/// Called by V8 when an allocation fails. It must not return.
pub unsafe extern "C" fn on_out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    give_up(RunEnd::OutOfMemory, EXIT_MEMORY);
}

/// Ends a worker whose run is out of memory. Does nothing if the calling thread may hold the run's lock itself: waiting for it
/// would be a deadlock.
#[cfg(target_os = "linux")]
pub(super) fn run_out_of_memory() {
    if WORKER.get().is_some_and(|control| control.can_end_run()) {
        give_up(RunEnd::OutOfMemory, EXIT_MEMORY);
    }
}

/// Called by V8 when one of its own invariants fails. It must not return.
fn on_fatal_error(_file: &str, _line: i32, message: &str) {
    let too_large = ["invalid size", "invalid array length", "out of memory", "OOM"];
    if too_large.iter().any(|fragment| message.contains(fragment)) {
        give_up(RunEnd::OutOfMemory, EXIT_MEMORY);
    }
    give_up(RunEnd::Crashed(CrashCause::FatalError), EXIT_FATAL);
}

/// In a worker process: reports the end of the run and exits. On a host thread V8 aborts the process; only
/// `isolation: 'process'` survives this.
fn give_up(end: RunEnd, code: i32) {
    if let Some(control) = WORKER.get() {
        control.end_run(end, || Fitness::Spent);
        exit_now(code);
    }
}
