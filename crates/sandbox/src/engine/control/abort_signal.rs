//! Handler for aborts after a failed native allocation in C++ or Rust: reports the run as out of memory. V8 serialises JSON
//! and compiles regular expressions in native memory, so guest code can cause this.

use super::fatal_error::run_out_of_memory;
use std::ffi::c_int;

/// Installs the handler: an abort caused by ENOMEM ends the run as out of memory. Other aborts keep their usual effect.
pub fn install_abort_handler() {
    for signal in [libc::SIGABRT, libc::SIGTRAP, libc::SIGILL] {
        // SAFETY: a `sigaction` of zeros is valid; each field that matters is set below.
        let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
        action.sa_sigaction = on_abort as *const () as usize;
        // A second signal has its default effect.
        action.sa_flags = libc::SA_RESETHAND | libc::SA_NODEFER | libc::SA_ONSTACK;
        // SAFETY: the handler has the signature that these flags ask for, and lives as long as the process.
        unsafe { libc::sigaction(signal, &raw const action, std::ptr::null_mut()) };
    }
}

/// Clears errno of the calling thread, so that an earlier failure cannot be taken for the cause of a later abort.
pub fn clear_errno() {
    // SAFETY: it has no precondition.
    let last = unsafe { libc::__errno_location() };
    // SAFETY: errno belongs to the calling thread for as long as the thread lives.
    unsafe { *last = 0 };
}

extern "C" fn on_abort(_signal: c_int) {
    // SAFETY: it has no precondition.
    let last = unsafe { libc::__errno_location() };
    // The signal is delivered to the aborting thread, whose last failed system call is the allocation. Free memory would be
    // no evidence: the failed block may be large, or memory may have been freed meanwhile.
    // SAFETY: errno belongs to the calling thread for as long as the thread lives.
    if unsafe { *last } == libc::ENOMEM {
        run_out_of_memory();
    }
}
