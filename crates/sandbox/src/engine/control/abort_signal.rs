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
    if memory.is_some_and(|memory| is_refused(half_of_all(memory))) {
        run_out_of_memory();
    }
}

/// Half of the data that a worker may have for a run with so much memory (`confinement_linux.rs`): an idle worker with a
/// full heap has that much left.
fn half_of_all(memory: usize) -> usize {
    const HALF_OWN: usize = 64 << 20;
    memory.saturating_add(memory / 2).saturating_add(HALF_OWN)
}

/// Whether the process cannot have so many bytes more.
fn is_refused(bytes: usize) -> bool {
    let writable = libc::PROT_READ | libc::PROT_WRITE;
    let private = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping at a place of the kernel's choice touches nothing that exists. It is left where it is: the
    // process ends either way.
    let mapped = unsafe { libc::mmap(std::ptr::null_mut(), bytes, writable, private, -1, 0) };
    mapped == libc::MAP_FAILED
}
