//! The thread on which hostile source is read.
//!
//! What recurses into a stranger's source gets a thread of its own, with a stack sized for that source and a net for
//! panics. Where the system refuses threads, the caller's thread gets such a stack for a while.

use std::sync::{Arc, Mutex, PoisonError};
use tgp_base::threads;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Failure {
    NoThread,
    Panicked,
}

/// Runs `job` and drops all that it owned on a thread with `stack` bytes of stack.
pub(crate) fn run_on_big_stack<T: Send + 'static>(
    stack: usize,
    job: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Failure> {
    let job = Arc::new(Mutex::new(Some(job)));
    let own = Arc::clone(&job);
    // A panic leaves nothing behind but this job's own values, which nobody sees again.
    let run = move || own.lock().unwrap_or_else(PoisonError::into_inner).take().map(|job| job());
    let outcome = match threads::spawn_with_stack("tgp-compile", stack, run) {
        Ok(thread) => thread.join().unwrap_or(Err(threads::Panicked)),
        Err(_) => {
            let run = || job.lock().unwrap_or_else(PoisonError::into_inner).take().map(|job| job());
            // The outer net is for a stack that cannot be had.
            threads::contain(|| stacker::grow(stack, || threads::contain(run))).map_err(|_| Failure::NoThread)?
        }
    };
    outcome.ok().flatten().ok_or(Failure::Panicked)
}

#[cfg(test)]
mod tests {
    use super::{Failure, run_on_big_stack};
    use tgp_base::threads::spawn_failure;

    #[test]
    fn the_stack_is_as_big_as_asked_for() {
        fn deep(levels: u32) -> u64 {
            let frame = std::hint::black_box([u64::from(levels); 16]);
            if levels == 0 { 0 } else { deep(levels - 1) + frame[(levels % 16) as usize] - u64::from(levels) + 1 }
        }
        assert_eq!(run_on_big_stack(256 << 20, || deep(500_000)), Ok(500_000));
    }

    #[test]
    fn a_panic_is_an_ordinary_outcome() {
        let outcome: Result<(), _> = run_on_big_stack(1 << 20, || std::panic::resume_unwind(Box::new("no")));
        assert_eq!(outcome, Err(Failure::Panicked));
        assert_eq!(run_on_big_stack(1 << 20, || 7), Ok(7));
    }

    #[test]
    fn a_stack_that_cannot_be_had_is_reported() {
        assert_eq!(run_on_big_stack(usize::MAX / 4, || 7), Err(Failure::NoThread));
    }

    #[test]
    fn without_a_thread_the_callers_own_gets_the_stack() {
        fn deep(levels: u64) -> u64 {
            if std::hint::black_box(levels) == 0 { 0 } else { deep(levels - 1) + 1 }
        }
        spawn_failure::during("tgp-compile", || {
            assert_eq!(run_on_big_stack(64 << 20, || deep(200_000)), Ok(200_000));
            let outcome: Result<(), _> = run_on_big_stack(1 << 20, || std::panic::resume_unwind(Box::new("no")));
            assert_eq!(outcome, Err(Failure::Panicked));
        });
    }
}
