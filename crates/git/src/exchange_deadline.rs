//! Deadline and cancellation for an exchange with a remote.

use super::git_error::GitError;
use super::limits::IDLE_TIMEOUT;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a wait checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// A cancellation flag for all exchanges with a remote. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct Halt(Arc<AtomicBool>);

impl Halt {
    /// Cancels all current and future waits.
    pub fn set(&self) {
        self.0.store(true, Ordering::Release);
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

/// The deadline, idle timeout and cancellation flag of one exchange.
#[derive(Debug, Clone)]
pub(super) struct ExchangeDeadline {
    deadline: Instant,
    /// Longest time without data from the remote.
    idle_timeout: Duration,
    halt: Halt,
}

impl ExchangeDeadline {
    pub(super) fn new(time: Duration, halt: &Halt) -> Self {
        Self { deadline: Instant::now() + time, idle_timeout: IDLE_TIMEOUT, halt: halt.clone() }
    }

    /// The remaining time; an error after the deadline or a cancellation.
    pub(super) fn remaining(&self) -> Result<Duration, GitError> {
        if self.halt.is_set() {
            return Err(unreachable("the kernel was shut down"));
        }
        match self.deadline.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(unreachable("it took longer than git.timeoutMs")),
            left => Ok(left),
        }
    }

    /// The same deadline without an idle timeout.
    pub(super) fn without_idle_timeout(&self) -> Self {
        Self { idle_timeout: self.deadline.saturating_duration_since(Instant::now()), ..self.clone() }
    }

    /// The same deadline with at most this idle timeout.
    pub(super) fn with_idle_timeout(&self, idle_timeout: Duration) -> Self {
        Self { idle_timeout: self.idle_timeout.min(idle_timeout), ..self.clone() }
    }

    pub(super) const fn idle_timeout(&self) -> Duration {
        self.idle_timeout
    }

    /// Sleeps for `pause`; an error after the deadline or a cancellation.
    pub(super) fn sleep(&self, pause: Duration) -> Result<(), GitError> {
        let end = Instant::now() + pause;
        loop {
            let left = self.remaining()?;
            match end.saturating_duration_since(Instant::now()) {
                Duration::ZERO => return Ok(()),
                rest => std::thread::sleep(rest.min(POLL_INTERVAL).min(left)),
            }
        }
    }

    /// Starts an idle timeout.
    pub(super) fn wait(&self) -> IdleWait<'_> {
        IdleWait { deadline: self, silent_until: Instant::now() + self.idle_timeout }
    }
}

/// A running idle timeout.
pub(super) struct IdleWait<'p> {
    deadline: &'p ExchangeDeadline,
    silent_until: Instant,
}

impl IdleWait<'_> {
    /// The time until the next poll; an error after the timeout.
    pub(super) fn next_poll(&self) -> Result<Duration, GitError> {
        let left = self.deadline.remaining()?;
        match self.silent_until.saturating_duration_since(Instant::now()) {
            Duration::ZERO => Err(unreachable("it did not answer in time")),
            idle_timeout => Ok(left.min(idle_timeout).min(POLL_INTERVAL)),
        }
    }
}

fn unreachable(reason: &str) -> GitError {
    GitError::Unreachable { reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::{ExchangeDeadline, Halt};
    use std::time::{Duration, Instant};

    #[test]
    fn the_idle_timeout_can_be_disabled() {
        let deadline = ExchangeDeadline {
            idle_timeout: Duration::from_millis(1),
            ..ExchangeDeadline::new(Duration::from_secs(60), &Halt::default())
        };
        let without_idle = deadline.without_idle_timeout();
        let (wait, long_wait) = (deadline.wait(), without_idle.wait());
        std::thread::sleep(Duration::from_millis(20));
        assert!(wait.next_poll().is_err());
        assert!(long_wait.next_poll().is_ok() && without_idle.idle_timeout() > Duration::from_secs(30));
    }

    #[test]
    fn waits_end_at_the_deadline_or_on_cancellation() {
        let halt = Halt::default();
        let deadline = ExchangeDeadline::new(Duration::from_secs(60), &halt);
        assert!(deadline.sleep(Duration::from_millis(1)).is_ok());
        assert!(deadline.wait().next_poll().unwrap() <= Duration::from_millis(50));
        assert!(ExchangeDeadline::new(Duration::ZERO, &halt).remaining().is_err());
        let start = Instant::now();
        std::thread::scope(|scope| {
            scope.spawn(|| halt.set());
            assert!(deadline.sleep(Duration::from_secs(50)).is_err());
        });
        assert!(start.elapsed() < Duration::from_secs(10));
        assert!(deadline.wait().next_poll().is_err());
    }
}
