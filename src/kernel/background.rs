//! Threads for work that a guest has asked for and that takes its time.

use crate::threads;
use rayon::ThreadPool;

/// Compiling and bundling use the processor, so more threads than this gain nothing.
const THREADS: usize = 2;

pub struct Background(Option<ThreadPool>);

impl Background {
    pub fn new() -> Self {
        Self(threads::pool("tgp-host", THREADS))
    }

    /// Does `job` on a thread of its own kind; on the caller's when the system refuses threads.
    pub fn spawn(&self, job: impl FnOnce() + Send + 'static) {
        match &self.0 {
            Some(pool) => pool.spawn(job),
            // Whoever waits for it hears of a panic by what the job owned.
            None => drop(threads::contain(job)),
        }
    }
}
