//! What ends a worker when C++ or Rust code is refused memory: it aborts, because it has nobody to tell. V8 writes JSON and
//! compiles patterns in such memory, so a guest gets there by itself.

use super::fatal_error::run_out_of_memory;
use std::ffi::c_int;

/// From now on an abort for want of memory ends the run as one. Any other abort stays what it is.
pub fn explain_aborts() {
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

/// Makes a new start for the calling thread: what was refused before has nothing to do with an abort from now on.
pub fn forget_refusals() {
    // SAFETY: it has no precondition.
    let last = unsafe { libc::__errno_location() };
    // SAFETY: the place belongs to the calling thread for as long as that lives.
    unsafe { *last = 0 };
}

extern "C" fn on_abort(_signal: c_int) {
    // SAFETY: it has no precondition.
    let last = unsafe { libc::__errno_location() };
    // The signal reaches the thread that aborts, and its last failed system call is the refusal. To ask how much memory
    // is left instead would be a guess: the refused piece may be large, or one was given back meanwhile.
    // SAFETY: the place belongs to the calling thread for as long as that lives.
    if unsafe { *last } == libc::ENOMEM {
        run_out_of_memory();
    }
}
