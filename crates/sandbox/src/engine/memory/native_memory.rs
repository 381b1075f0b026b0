//! Memory that V8's libraries take for what guests make of them: a formatter of dates holds tens of kilobytes that no account
//! of V8 knows of, and lives until a collection.

/// What this process has allocated in native code; nothing where the C library does not tell.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn native_bytes() -> u64 {
    // SAFETY: it takes the allocator's own locks, and changes nothing.
    let told = unsafe { libc::mallinfo2() };
    let blocks = told.uordblks.saturating_add(told.hblkhd);
    blocks.saturating_add(super::large_blocks::large_bytes()) as u64
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn native_bytes() -> u64 {
    0
}
