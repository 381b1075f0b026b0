//! Locks on files, by path.

use parking_lot::{Mutex, MutexGuard};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tgp_vfs::JailPath;

/// The number of locks. Paths with the same hash share one, which only costs waiting time.
const LOCKS: usize = 64;

/// Bounds the wait, because the holder of a lock may be waiting for JavaScript.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

pub struct PathLocks {
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for PathLocks {
    fn default() -> Self {
        Self { locks: [const { Mutex::new(()) }; LOCKS], hasher: RandomState::new() }
    }
}

impl PathLocks {
    /// Locks `path` within this kernel; `None` on timeout.
    pub fn lock(&self, path: &JailPath) -> Option<MutexGuard<'_, ()>> {
        self.lock_of(path)?.try_lock_for(LOCK_TIMEOUT)
    }

    /// As `lock` if the lock is taken, so that waiting callers are not overtaken; otherwise `None` at once.
    pub fn lock_if_contended(&self, path: &JailPath) -> Option<MutexGuard<'_, ()>> {
        let lock = self.lock_of(path)?;
        if lock.try_lock().is_some() { None } else { lock.try_lock_for(LOCK_TIMEOUT) }
    }

    fn lock_of(&self, path: &JailPath) -> Option<&Mutex<()>> {
        let number = self.hasher.hash_one(path.as_str()) % LOCKS as u64;
        usize::try_from(number).ok().and_then(|number| self.locks.get(number))
    }
}
