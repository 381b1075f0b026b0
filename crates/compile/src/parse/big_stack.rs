//! Runs a job on a thread with a large stack.
//!
//! Code that recurses into untrusted source runs on its own thread, with a stack sized for that source, and its panics are
//! caught. If no thread can be started, the job runs on the caller's thread with a temporarily enlarged stack.

use std::sync::{Arc, Mutex, PoisonError};
use tgp_base::threads;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BigStackError {
    NoThread,
    Panicked,
}

/// Runs `job` on a thread with `stack` bytes of stack. What it owns is dropped there too.
pub(crate) fn run_on_big_stack<T: Send + 'static>(
    stack: usize,
    job: impl FnOnce() -> T + Send + 'static,
) -> Result<T, BigStackError> {
    let job = Arc::new(Mutex::new(Some(job)));
    let own = Arc::clone(&job);
    // A panic leaves only this job's own values in an unknown state, and they are not used again.
    let run = move || own.lock().unwrap_or_else(PoisonError::into_inner).take().map(|job| job());
    let outcome = match threads::spawn_with_stack("tgp-compile", stack, run) {
        Ok(thread) => thread.join().unwrap_or(Err(threads::Panicked)),
        Err(_) => {
            let run = || job.lock().unwrap_or_else(PoisonError::into_inner).take().map(|job| job());
            // The outer `contain` catches the failure to allocate the stack.
            threads::contain(|| stacker::grow(stack, || threads::contain(run))).map_err(|_| BigStackError::NoThread)?
        }
    };
    outcome.ok().flatten().ok_or(BigStackError::Panicked)
}

#[cfg(test)]
mod tests {
    use super::{BigStackError, run_on_big_stack};
    use tgp_base::threads::spawn_failure;

    #[test]
    fn the_stack_has_the_requested_size() {
        fn deep(levels: u32) -> u64 {
            let frame = std::hint::black_box([u64::from(levels); 16]);
            if levels == 0 { 0 } else { deep(levels - 1) + frame[(levels % 16) as usize] - u64::from(levels) + 1 }
        }
        assert_eq!(run_on_big_stack(256 << 20, || deep(500_000)), Ok(500_000));
    }

    #[test]
    fn a_panic_is_returned_as_an_error() {
        let outcome: Result<(), _> = run_on_big_stack(1 << 20, || std::panic::resume_unwind(Box::new("no")));
        assert_eq!(outcome, Err(BigStackError::Panicked));
        assert_eq!(run_on_big_stack(1 << 20, || 7), Ok(7));
    }

    #[test]
    fn a_stack_that_cannot_be_allocated_is_an_error() {
        assert_eq!(run_on_big_stack(usize::MAX / 4, || 7), Err(BigStackError::NoThread));
    }

    #[test]
    fn without_a_thread_the_job_runs_on_the_callers_thread_with_the_requested_stack() {
        fn deep(levels: u64) -> u64 {
            if std::hint::black_box(levels) == 0 { 0 } else { deep(levels - 1) + 1 }
        }
        spawn_failure::during("tgp-compile", || {
            assert_eq!(run_on_big_stack(64 << 20, || deep(200_000)), Ok(200_000));
            let outcome: Result<(), _> = run_on_big_stack(1 << 20, || std::panic::resume_unwind(Box::new("no")));
            assert_eq!(outcome, Err(BigStackError::Panicked));
        });
    }
}
