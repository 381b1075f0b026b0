//! Pauses between attempts.

use super::git_error::GitError;
use super::patience::Patience;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(500);
/// How long rivals are raced against.
const RACE_TIMEOUT: Duration = Duration::from_mins(1);

/// Pauses that grow, each a random part longer or shorter, until patience ends.
pub(super) struct Backoff {
    deadline: Instant,
    pause: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self { deadline: Instant::now() + RACE_TIMEOUT, pause: FIRST_PAUSE }
    }

    pub(super) fn wait(&mut self, patience: &Patience) -> Result<(), GitError> {
        self.check()?;
        patience.sleep(jittered(self.pause))?;
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        Ok(())
    }

    fn check(&self) -> Result<(), GitError> {
        let is_over = Instant::now() >= self.deadline;
        if is_over { Err(GitError::Contended { seconds: RACE_TIMEOUT.as_secs() }) } else { Ok(()) }
    }

    /// As [`Self::wait`], for any part of `longest`: a rival that waits long has lost before it begins.
    pub(super) fn wait_briefly(&self, patience: &Patience, longest: Duration) -> Result<(), GitError> {
        self.check()?;
        patience.sleep(random_part(longest.min(LONGEST_PAUSE)))
    }

    /// As [`Self::wait`], for `pause`.
    pub(super) fn wait_about(&self, patience: &Patience, pause: Duration) -> Result<(), GitError> {
        self.check()?;
        patience.sleep(jittered(pause))
    }
}

/// Between half of `pause` and all of it.
pub(super) fn jittered(pause: Duration) -> Duration {
    pause / 2 + random_part(pause / 2)
}

/// Between nothing and all of `pause`.
pub(super) fn random_part(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let share = u32::try_from(RandomState::new().hash_one(0_u8) % 1000).unwrap_or_default();
    pause * share / 1000
}
