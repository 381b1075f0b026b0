//! Exit codes of a worker process.

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
