//! Threads of ours in the application's process: a panic on one ends its job, never the application.
//!
//! Nothing else starts threads or pools; the architecture test holds that. A job that owes somebody an answer owes it
//! after a panic as well: the means to answer must answer when they are dropped, as `Promised` and `Reply` do.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread::{Builder, JoinHandle};

/// A job that panicked. What it owned is dropped; what it shared must not be trusted to be whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panicked;

/// The value of `job`, or that it panicked.
pub fn contain<T>(job: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(job)).map_err(|_| Panicked)
}

/// Does `job` on a thread of its own.
pub fn spawn<T: Send + 'static>(
    name: &str,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    Builder::new().name(name.to_owned()).spawn(move || contain(job))
}

/// Does `job` on a thread with `stack` bytes of stack.
pub fn spawn_with_stack<T: Send + 'static>(
    name: &str,
    stack: usize,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    Builder::new().name(name.to_owned()).stack_size(stack).spawn(move || contain(job))
}

/// A pool that outlives the panics of its jobs, unless the system refuses threads.
#[must_use]
pub fn pool(name: &'static str, threads: usize) -> Option<ThreadPool> {
    // Without a handler rayon ends the process. The panic's message has been printed by then.
    let ignore = |_| {};
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |_| name.to_owned())
        .panic_handler(ignore)
        .build()
        .ok()
}

#[cfg(test)]
mod tests {
    use super::{Panicked, contain, pool, spawn};
    use std::panic::resume_unwind;
    use std::sync::mpsc::channel;

    fn panic() {
        resume_unwind(Box::new("no"));
    }

    #[test]
    fn a_panic_is_an_ordinary_outcome() {
        assert_eq!(contain(panic), Err(Panicked));
        assert_eq!(contain(|| 7), Ok(7));
        assert_eq!(spawn("tgp-test", panic).unwrap().join().unwrap(), Err(Panicked));
    }

    #[test]
    fn a_pool_outlives_the_panics_of_its_jobs() {
        let pool = pool("tgp-test", 1).unwrap();
        pool.spawn(panic);
        let (tell, told) = channel();
        pool.spawn(move || tell.send(7).unwrap());
        assert_eq!(told.recv(), Ok(7));
    }
}
