//! Exponential backoff with jitter.

use super::exchange_deadline::ExchangeDeadline;
use super::git_error::GitError;
use std::time::{Duration, Instant};

const FIRST_PAUSE: Duration = Duration::from_millis(10);
const MAX_PAUSE: Duration = Duration::from_millis(500);
/// Total time of all attempts against concurrent writers.
const RACE_TIMEOUT: Duration = Duration::from_mins(1);

/// Growing pauses with jitter, until [`RACE_TIMEOUT`] or the deadline of the exchange.
pub(super) struct Backoff {
    deadline: Instant,
    pause: Duration,
}

impl Backoff {
    pub(super) fn new() -> Self {
        Self { deadline: Instant::now() + RACE_TIMEOUT, pause: FIRST_PAUSE }
    }

    pub(super) fn wait(&mut self, deadline: &ExchangeDeadline) -> Result<(), GitError> {
        self.check()?;
        deadline.sleep(jittered(self.pause))?;
        self.pause = (self.pause * 2).min(MAX_PAUSE);
        Ok(())
    }

    fn check(&self) -> Result<(), GitError> {
        let is_over = Instant::now() >= self.deadline;
        if is_over { Err(GitError::Contended { seconds: RACE_TIMEOUT.as_secs() }) } else { Ok(()) }
    }

    /// As [`Self::wait`], for a random part of `longest`: a writer that waits long loses against concurrent ones.
    pub(super) fn wait_briefly(&self, deadline: &ExchangeDeadline, longest: Duration) -> Result<(), GitError> {
        self.check()?;
        deadline.sleep(random_part(longest.min(MAX_PAUSE)))
    }

    /// As [`Self::wait`], for `pause`.
    pub(super) fn wait_about(&self, deadline: &ExchangeDeadline, pause: Duration) -> Result<(), GitError> {
        self.check()?;
        deadline.sleep(jittered(pause))
    }
}

/// A random duration between half of `pause` and `pause`.
pub(super) fn jittered(pause: Duration) -> Duration {
    pause / 2 + random_part(pause / 2)
}

/// A random duration up to `pause`.
pub(super) fn random_part(pause: Duration) -> Duration {
    use std::hash::{BuildHasher, RandomState};
    let share = u32::try_from(RandomState::new().hash_one(0_u8) % 1000).unwrap_or_default();
    pause * share / 1000
}
