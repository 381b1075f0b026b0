//! Turns at files, by their paths.

use crate::vfs::JailPath;
use parking_lot::{Mutex, MutexGuard};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;

/// Two paths share a turn once in so many, which costs a wait.
const TURNS: usize = 64;

/// Whoever has the turn may be waiting for JavaScript.
const LONGEST_WAIT: Duration = Duration::from_secs(2);

pub struct PathTurns {
    turns: [Mutex<()>; TURNS],
    hasher: RandomState,
}

impl Default for PathTurns {
    fn default() -> Self {
        Self { turns: [const { Mutex::new(()) }; TURNS], hasher: RandomState::new() }
    }
}

impl PathTurns {
    /// Waits until nobody else of this kernel has the turn at `path`; `None` when that takes too long. It lasts until the
    /// guard is dropped.
    pub fn wait_for(&self, path: &JailPath) -> Option<MutexGuard<'_, ()>> {
        let number = self.hasher.hash_one(path.as_str()) % TURNS as u64;
        let turn = usize::try_from(number).ok().and_then(|number| self.turns.get(number));
        turn?.try_lock_for(LONGEST_WAIT)
    }
}
