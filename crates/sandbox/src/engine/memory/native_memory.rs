//! Native memory allocated by V8's libraries for guests: a date formatter, for example, holds tens of kilobytes outside V8's
//! own statistics until the next collection.

/// Bytes that this process has allocated in native code; 0 if the C library does not report them.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn native_bytes() -> u64 {
    // SAFETY: it takes the allocator's own locks, and changes nothing.
    let info = unsafe { libc::mallinfo2() };
    let blocks = info.uordblks.saturating_add(info.hblkhd);
    blocks.saturating_add(super::large_blocks::large_bytes()) as u64
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn native_bytes() -> u64 {
    0
}
