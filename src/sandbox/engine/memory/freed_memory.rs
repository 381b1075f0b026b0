//! Memory of the application's process that was freed, and that its allocator keeps.
//!
//! glibc keeps freed blocks of up to 32 MB in the arena of the thread that had them. With every worker's listener, and
//! large results, that adds up to hundreds of megabytes that nobody uses.

#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod glibc {
    use crate::threads;
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::Duration;

    /// What is smaller leaves nothing behind that is worth the effort.
    const LARGE: usize = 1 << 20;
    /// Until then it is still in use; and more may come.
    const LATER: Duration = Duration::from_secs(1);

    static IS_DUE: AtomicBool = AtomicBool::new(false);

    /// Notes that so many bytes pass through the application's memory in one piece: a while later, whatever is free by then
    /// goes back to the system.
    pub fn passes_through(bytes: usize) {
        if bytes < LARGE || IS_DUE.swap(true, Ordering::AcqRel) {
            return;
        }
        let spawned = threads::spawn_quiet("tgp-freed", || {
            std::thread::sleep(LATER);
            IS_DUE.store(false, Ordering::Release);
            // SAFETY: it takes the allocator's own locks, and touches nothing that is in use.
            unsafe { libc::malloc_trim(0) };
        });
        if spawned.is_err() {
            IS_DUE.store(false, Ordering::Release);
        }
    }
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
mod elsewhere {
    pub fn passes_through(_bytes: usize) {}
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub use elsewhere::passes_through;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub use glibc::passes_through;
