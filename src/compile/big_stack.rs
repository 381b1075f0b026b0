//! The thread on which hostile source is read.
//!
//! swc recurses without a guard, and what it recurses into was written by a stranger. Each job therefore gets a thread of its
//! own with a stack sized for it, a net for panics, and a deadline for whoever waits.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::sync::{Arc, Weak};
use std::thread::Builder;
use std::time::Duration;

use parking_lot::Mutex;

/// How many jobs may outlive their deadline before new ones are refused.
const MAX_OVERDUE: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Failure {
    /// Too many earlier jobs never ended.
    Busy,
    NoThread,
    Panicked,
    TimedOut,
}

/// Starts one thread per job. A thread cannot be killed: a job past its deadline goes on alone and is counted until it ends.
#[derive(Debug, Default)]
pub(super) struct BigStack {
    overdue: Mutex<Vec<Weak<()>>>,
}

impl BigStack {
    /// Runs `job` and drops all that it owned on a thread with `stack` bytes of stack.
    pub(super) fn run<T: Send + 'static>(
        &self,
        stack: usize,
        deadline: Duration,
        job: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Failure> {
        if self.count_overdue() >= MAX_OVERDUE {
            return Err(Failure::Busy);
        }
        let alive = Arc::new(());
        let watched = Arc::downgrade(&alive);
        let (send, receive) = sync_channel(1);
        let started = Builder::new().name("tgp-compile".to_owned()).stack_size(stack).spawn(move || {
            // A panic leaves nothing behind but this job's own values, which nobody sees again.
            let outcome = catch_unwind(AssertUnwindSafe(job)).map_err(|_| Failure::Panicked);
            drop(alive);
            // The receiver is gone when the deadline has passed.
            let _ = send.send(outcome);
        });
        if started.is_err() {
            return Err(Failure::NoThread);
        }
        match receive.recv_timeout(deadline) {
            Ok(outcome) => outcome,
            Err(RecvTimeoutError::Timeout) => {
                self.overdue.lock().push(watched);
                Err(Failure::TimedOut)
            }
            Err(RecvTimeoutError::Disconnected) => Err(Failure::Panicked),
        }
    }

    fn count_overdue(&self) -> usize {
        let mut overdue = self.overdue.lock();
        overdue.retain(|job| job.strong_count() > 0);
        overdue.len()
    }
}

#[cfg(test)]
mod tests {
    use super::{BigStack, Failure, MAX_OVERDUE};
    use std::sync::mpsc::channel;
    use std::time::{Duration, Instant};

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn the_stack_is_as_big_as_asked_for() {
        fn deep(levels: u32) -> u64 {
            let frame = std::hint::black_box([u64::from(levels); 16]);
            if levels == 0 { 0 } else { deep(levels - 1) + frame[(levels % 16) as usize] - u64::from(levels) + 1 }
        }
        assert_eq!(BigStack::default().run(256 << 20, LATE, || deep(500_000)), Ok(500_000));
    }

    #[test]
    fn a_panic_is_an_ordinary_outcome() {
        let threads = BigStack::default();
        let outcome: Result<(), _> = threads.run(1 << 20, LATE, || std::panic::resume_unwind(Box::new("no")));
        assert_eq!(outcome, Err(Failure::Panicked));
        assert_eq!(threads.run(1 << 20, LATE, || 7), Ok(7));
    }

    #[test]
    fn jobs_past_their_deadline_are_left_and_too_many_of_them_refuse_new_ones() {
        let threads = BigStack::default();
        let mut ends = Vec::new();
        for _ in 0..MAX_OVERDUE {
            let (end, ended) = channel::<()>();
            let outcome = threads.run(1 << 20, SOON, move || ended.recv().is_ok());
            assert_eq!(outcome, Err(Failure::TimedOut));
            ends.push(end);
        }
        assert_eq!(threads.run(1 << 20, LATE, || 7), Err(Failure::Busy));
        drop(ends);
        let start = Instant::now();
        while threads.run(1 << 20, LATE, || 7) != Ok(7) {
            assert!(start.elapsed() < LATE, "ended jobs are still counted");
            std::thread::sleep(SOON);
        }
    }

    #[test]
    fn a_stack_that_cannot_be_had_is_reported() {
        assert_eq!(BigStack::default().run(usize::MAX / 4, LATE, || 7), Err(Failure::NoThread));
    }
}
