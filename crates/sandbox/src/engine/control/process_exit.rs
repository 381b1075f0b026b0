//! The end of a worker process: its exit codes, and what to do about a guest that ignores termination.

/// The guest ignored termination.
pub const EXIT_STUCK: i32 = 70;
/// V8 ran out of memory.
pub const EXIT_MEMORY: i32 = 71;
/// Another fatal error of V8.
pub const EXIT_FATAL: i32 = 72;
/// The command line or the snapshot is unusable.
pub const EXIT_USAGE: i32 = 64;

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
