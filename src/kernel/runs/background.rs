//! Threads for work that a guest has asked for and that takes its time. The roots of runs take turns: one that asks for much
//! does not keep the others waiting.

use crate::ids::RunId;
use crate::threads;
use crate::turns::Turns;
use parking_lot::Mutex;
use rayon::ThreadPool;
use std::sync::Arc;

/// Compiling and bundling use the processor, so more threads than this gain nothing.
const THREADS: usize = 2;

type Job = Box<dyn FnOnce() + Send>;

pub struct Background {
    pool: Option<ThreadPool>,
    waiting: Arc<Mutex<Turns<RunId, Job>>>,
}

impl Background {
    pub fn new() -> Self {
        Self { pool: threads::pool("tgp-host", THREADS), waiting: Arc::default() }
    }

    /// Does `job` of the tree of `root` on a thread of its own kind; on the caller's when the system refuses threads.
    pub fn spawn(&self, root: RunId, job: impl FnOnce() + Send + 'static) {
        let Some(pool) = &self.pool else {
            // Whoever waits for it hears of a panic by what the job owned.
            let _panicked = threads::contain(job);
            return;
        };
        self.waiting.lock().push(root, Box::new(job));
        let waiting = Arc::clone(&self.waiting);
        // One for each job, though it may do another one than this.
        pool.spawn(move || {
            let next = waiting.lock().next(|_| true);
            if let Some(job) = next {
                job();
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::{Background, THREADS};
    use crate::ids::RunId;
    use std::sync::mpsc::channel;

    #[test]
    fn one_root_with_many_jobs_does_not_keep_another_waiting() {
        let background = Background::new();
        let (order, done) = channel();
        // Holds every thread until all jobs wait.
        let gates: Vec<_> = (0..THREADS)
            .map(|_| {
                let (open, gate) = channel::<()>();
                background.spawn(RunId(0), move || gate.recv().unwrap());
                open
            })
            .collect();
        for (root, jobs) in [(1, 50), (2, 1)] {
            for _ in 0..jobs {
                let order = order.clone();
                background.spawn(RunId(root), move || order.send(root).unwrap());
            }
        }
        drop(order);
        gates.into_iter().for_each(|gate| gate.send(()).unwrap());
        let order: Vec<u64> = done.into_iter().collect();
        assert_eq!(order.len(), 51);
        let place = order.iter().position(|root| *root == 2).unwrap();
        assert!(place <= 2 * THREADS, "{place}");
    }
}
