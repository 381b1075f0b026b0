//! How long a remote is waited for, and the word that nobody waits any more.

use super::git_error::GitError;
use super::limits::IDLE;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How soon a wait notices that it is to end.
const LOOK: Duration = Duration::from_millis(50);

/// Ends whatever waits for a remote. Clones are one and the same.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<AtomicBool>);

impl Halt {
    /// From now on nothing waits.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The time for one exchange with a remote.
#[derive(Debug, Clone)]
pub(super) struct Patience {
    deadline: Instant,
    /// How long nothing may be heard.
    silence: Duration,
    halt: Halt,
}

impl Patience {
    pub(super) fn new(time: Duration, halt: &Halt) -> Self {
        Self { deadline: Instant::now() + time, silence: IDLE, halt: halt.clone() }
    }

    /// What is left of the time; an error when that is nothing.
    pub(super) fn left(&self) -> Result<Duration, GitError> {
        if self.halt.is_set() {
            return Err(unreachable("the kernel was shut down meanwhile"));
        }
        match self.deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(unreachable("it took longer than git.timeoutMs")),
            left => Ok(left),
        }
    }

    /// The same time, all of which may pass in silence.
    pub(super) fn unhurried(&self) -> Self {
        Self { silence: self.deadline.saturating_duration_since(Instant::now()), ..self.clone() }
    }

    /// The same time, of which no more than `silence` may pass in one.
    pub(super) fn within(&self, silence: Duration) -> Self {
        Self { silence: self.silence.min(silence), ..self.clone() }
    }

    pub(super) const fn silence(&self) -> Duration {
        self.silence
    }

    /// Sleeps for `pause`, or less when patience ends.
    pub(super) fn sleep(&self, pause: Duration) -> Result<(), GitError> {
        let end = Instant::now() + pause;
        loop {
            let left = self.left()?;
            match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return Ok(()),
                rest => std::thread::sleep(rest.min(LOOK).min(left)),
            }
        }
    }

    /// Begins a wait for one sign of life.
    pub(super) fn wait(&self) -> Wait<'_> {
        Wait { patience: self, silent_until: Instant::now() + self.silence }
    }
}

/// A wait in short steps.
pub(super) struct Wait<'p> {
    patience: &'p Patience,
    silent_until: Instant,
}

impl Wait<'_> {
    /// How long to wait before asking again; an error when it has been too long.
    pub(super) fn step(&self) -> Result<Duration, GitError> {
        let left = self.patience.left()?;
        match self.silent_until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(unreachable("it did not answer in time")),
            silence => Ok(left.min(silence).min(LOOK)),
        }
    }
}

fn unreachable(reason: &str) -> GitError {
    GitError::Unreachable { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{Halt, Patience};
    use std::time::{Duration, Instant};

    #[test]
    fn silence_ends_it_unless_it_is_expected() {
        let patience =
            Patience { silence: Duration::from_millis(1), ..Patience::new(Duration::from_secs(60), &Halt::default()) };
        let unhurried = patience.unhurried();
        let (wait, long_wait) = (patience.wait(), unhurried.wait());
        std::thread::sleep(Duration::from_millis(20));
        assert!(wait.step().is_err());
        assert!(long_wait.step().is_ok() && unhurried.silence() > Duration::from_secs(30));
    }

    #[test]
    fn it_ends_by_time_or_by_word() {
        let halt = Halt::default();
        let patience = Patience::new(Duration::from_secs(60), &halt);
        assert!(patience.sleep(Duration::from_millis(1)).is_ok());
        assert!(patience.wait().step().unwrap() <= Duration::from_millis(50));
        assert!(Patience::new(Duration::ZERO, &halt).left().is_err());
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| halt.set());
            assert!(patience.sleep(Duration::from_secs(50)).is_err());
        });
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(patience.wait().step().is_err());
    }
}
