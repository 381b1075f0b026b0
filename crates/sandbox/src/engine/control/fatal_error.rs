//! What happens when V8 itself gives up.

use super::engine_control::EngineControl;
use super::process_exit::{EXIT_FATAL, EXIT_MEMORY, exit_now};
use crate::message::Fitness;
use crate::run_end::RunEnd;
use std::ffi::c_char;
use std::sync::{Arc, OnceLock};

/// Whom the fatal handlers tell, in a process that is a worker.
static WORKER: OnceLock<Arc<EngineControl>> = OnceLock::new();

/// From now on a failure of V8 ends the run that `control` knows of, and this process.
pub fn end_process_on(control: &Arc<EngineControl>) {
    let _first = WORKER.set(Arc::clone(control));
    v8::V8::set_fatal_error_handler(on_fatal_error);
}

/// Called by V8 when an allocation cannot be had. It must not return.
pub unsafe extern "C" fn on_out_of_memory(_location: *const c_char, _details: &v8::OomDetails) {
    give_up(RunEnd::OutOfMemory, EXIT_MEMORY);
}

/// The end of a worker whose run had more memory than there is. Does nothing where the calling thread may hold the run itself:
/// it cannot wait for what it holds.
#[cfg(target_os = "linux")]
pub(super) fn run_out_of_memory() {
    if WORKER.get().is_some_and(|control| control.can_settle()) {
        give_up(RunEnd::OutOfMemory, EXIT_MEMORY);
    }
}

/// Called by V8 when one of its own invariants fails. It must not return.
fn on_fatal_error(_file: &str, _line: i32, message: &str) {
    let too_large = ["invalid size", "invalid array length", "out of memory", "OOM"];
    if too_large.iter().any(|sign| message.contains(sign)) {
        give_up(RunEnd::OutOfMemory, EXIT_MEMORY);
    }
    give_up(RunEnd::Crashed("V8 met a fatal error".to_owned()), EXIT_FATAL);
}

/// In a worker the run gets its end and the process exits. On a thread of the host V8 aborts: `isolation: 'process'`
/// is the mode that survives this.
fn give_up(end: RunEnd, code: i32) {
    if let Some(control) = WORKER.get() {
        control.settle(end, || Fitness::Spent);
        exit_now(code);
    }
}
