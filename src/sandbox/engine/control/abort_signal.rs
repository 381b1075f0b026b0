//! What ends a worker when C++ or Rust code is refused memory: it aborts, because it has nobody to tell. V8 writes JSON and
//! compiles patterns in such memory, so a guest gets there by itself.

use super::engine_control::EngineControl;
use super::fatal_error::run_out_of_memory;
use std::ffi::c_int;
use std::sync::{Arc, OnceLock};

static WORKER: OnceLock<Arc<EngineControl>> = OnceLock::new();

/// From now on an abort for want of memory is the end of the run that `control` knows of. Any other abort stays what it is.
pub fn explain_aborts(control: &Arc<EngineControl>) {
    let _first = WORKER.set(Arc::clone(control));
    for signal in [libc::SIGABRT, libc::SIGTRAP, libc::SIGILL] {
        // SAFETY: a `sigaction` of zeros is valid; each field that matters is set below.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_abort as *const () as usize;
        // The second time the signal has its usual effect.
        action.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that these flags ask for, and lives as long as the process.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

extern "C" fn on_abort(_signal: c_int) {
    let memory = WORKER.get().and_then(|control| control.memory_of_run());
    if memory.is_some_and(is_refused) {
        run_out_of_memory();
    }
}

/// Whether the process cannot have as much memory again as its run may use.
fn is_refused(bytes: usize) -> bool {
    let writable = libc::PROT_READ | libc::PROT_WRITE;
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at a place of the kernel's choice touches nothing that exists. It is left where it is: the
    // process ends either way.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), bytes, writable, private, -1, 0) };
    mapped == libc::MAP_FAILED
}
