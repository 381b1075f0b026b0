//! The end of a worker process, and what to do about a guest that ignores termination.

/// Exits without running destructors: those of a running V8 would crash.
pub fn exit_now(code: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` has no precondition and does not return.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}

/// What to do about a guest that ignores termination; depends on where its engine runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StuckPolicy {
    /// End this process: the engine runs in a worker process.
    ExitProcess,
    /// Report the end of the run and abandon the thread: the engine runs in the host process.
    Abandon,
}
