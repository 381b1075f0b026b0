//! Turns at files, by their paths.

use parking_lot::{Mutex, MutexGuard};
use std::hash::{BuildHasher, RandomState};
use std::time::Duration;
use tgp_vfs::JailPath;

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
        self.turn_at(path)?.try_lock_for(LONGEST_WAIT)
    }

    /// As `wait_for` when somebody has the turn, so that nobody overtakes whoever waited for it; otherwise `None` at once.
    pub fn wait_if_taken(&self, path: &JailPath) -> Option<MutexGuard<'_, ()>> {
        let turn = self.turn_at(path)?;
        if turn.try_lock().is_some() { None } else { turn.try_lock_for(LONGEST_WAIT) }
    }

    fn turn_at(&self, path: &JailPath) -> Option<&Mutex<()>> {
        let number = self.hasher.hash_one(path.as_str()) % TURNS as u64;
        usize::try_from(number).ok().and_then(|number| self.turns.get(number))
    }
}
