//! How a worker process ends by its own hand, and what its exit codes mean.

/// The guest ignored termination.
pub const EXIT_STUCK: i32 = 70;
/// V8 ran out of memory, or refused an allocation for good.
pub const EXIT_MEMORY: i32 = 71;
/// V8 gave up for another reason.
pub const EXIT_FATAL: i32 = 72;
/// The command line or the snapshot is unusable.
pub const EXIT_USAGE: i32 = 64;

/// Ends the process without running anything more: destructors of a V8 that is still at work would crash.
pub fn exit_now(code: i32) -> ! {
    #[cfg(unix)]
    // SAFETY: `_exit` has no precondition and does not return.
    unsafe {
        libc::_exit(code)
    }
    #[cfg(not(unix))]
    std::process::exit(code)
}
