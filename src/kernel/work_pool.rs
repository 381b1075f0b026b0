//! A thread pool with a fair queue: owners take turns, so that one with many jobs does not delay the others. An idle
//! pool has no threads.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::round_robin_queue::RoundRobinQueue;
use tgp_base::threads;

/// How long a thread waits for the next job before it ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

pub type Job = Box<dyn FnOnce() + Send>;

/// The job that could not be queued, because the pool has no thread and none could be started.
pub struct Refused(Job);

pub struct WorkPool<K>(Arc<PoolInner<K>>);

struct PoolInner<K> {
    name: &'static str,
    most_threads: usize,
    state: Mutex<PoolState<K>>,
    changed: Condvar,
}

struct PoolState<K> {
    waiting: RoundRobinQueue<K, Job>,
    threads: usize,
    /// The number of idle threads.
    idle: usize,
    closed: bool,
}

impl<K: PartialEq + Send + 'static> WorkPool<K> {
    /// A pool of at most `most_threads` threads with this name.
    #[must_use]
    pub fn new(name: &'static str, most_threads: usize) -> Self {
        let state = Mutex::new(PoolState { waiting: RoundRobinQueue::default(), threads: 0, idle: 0, closed: false });
        Self(Arc::new(PoolInner { name, most_threads, state, changed: Condvar::new() }))
    }

    /// Runs `job` of `owner` on a thread of the pool.
    ///
    /// # Errors
    /// `Refused` when there is no thread and none can be started.
    pub fn spawn(&self, owner: K, job: impl FnOnce() + Send + 'static) -> Result<(), Refused> {
        // Starts the thread under the lock, so that no job is queued for a thread that fails to start.
        let mut state = self.0.state.lock();
        if state.idle <= state.waiting.len() && state.threads < self.0.most_threads {
            let inner = Arc::clone(&self.0);
            if threads::spawn(self.0.name, move || inner.run_jobs()).is_ok() {
                state.threads += 1;
            } else if state.threads == 0 {
                return Err(Refused(Box::new(job)));
            }
        }
        state.waiting.push(owner, Box::new(job));
        self.0.changed.notify_one();
        Ok(())
    }

    /// As `spawn`, for a job with an input.
    ///
    /// # Errors
    /// The input, when the job is refused.
    pub fn spawn_with<T: Send + 'static>(
        &self,
        owner: K,
        input: T,
        job: impl FnOnce(T) + Send + 'static,
    ) -> Result<(), T> {
        spawn_or_return(input, job, |job| self.spawn(owner, job).is_ok())
    }

    /// As `spawn`, but runs the job on the current thread when it is refused.
    pub fn spawn_or_run(&self, owner: K, job: impl FnOnce() + Send + 'static) {
        if let Err(Refused(job)) = self.spawn(owner, job) {
            let _panicked = threads::contain(job);
        }
    }
}

/// Runs the job through `spawn`, which returns whether it was started.
///
/// # Errors
/// The input, when the job was not started.
pub fn spawn_or_return<T: Send + 'static>(
    input: T,
    job: impl FnOnce(T) + Send + 'static,
    spawn: impl FnOnce(Job) -> bool,
) -> Result<(), T> {
    let shared = Arc::new(Mutex::new(Some(input)));
    let taken = Arc::clone(&shared);
    let is_started = spawn(Box::new(move || {
        let input = taken.lock().take();
        if let Some(input) = input {
            job(input);
        }
    }));
    let refused = if is_started { None } else { shared.lock().take() };
    refused.map_or(Ok(()), Err)
}

/// The error for a job that was not started.
#[must_use]
pub fn no_thread() -> Error {
    Error::new(ErrorCode::Io, "The system cannot start another thread. Free resources and try again.")
}

impl<K> Drop for WorkPool<K> {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl<K: PartialEq> PoolInner<K> {
    /// Runs jobs until the pool is idle or closed.
    fn run_jobs(&self) {
        while let Some(job) = self.next() {
            // A panic drops the job's captures, which notifies the caller.
            let _panicked = threads::contain(job);
        }
    }

    /// The next job; none when the thread must end.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        let mut is_wanted = true;
        loop {
            if let Some(job) = state.waiting.next(|_| true) {
                return Some(job);
            }
            if state.closed || !is_wanted {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            is_wanted = !self.changed.wait_for(&mut state, IDLE_TIMEOUT).timed_out();
            state.idle -= 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{IDLE_TIMEOUT, WorkPool};
    use std::collections::HashSet;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread::{current, sleep};
    use std::time::Instant;
    use tgp_base::threads::spawn_failure;

    const THREADS: usize = 2;

    fn pool() -> WorkPool<u64> {
        WorkPool::new("tgp-test", THREADS)
    }

    #[test]
    fn one_owner_with_many_jobs_does_not_delay_another() {
        let pool = pool();
        let (order, done) = channel();
        // Blocks every thread until all jobs are queued.
        let gates: Vec<_> = (0..THREADS)
            .map(|_| {
                let (open, gate) = channel::<()>();
                assert!(pool.spawn(0, move || gate.recv().unwrap()).is_ok());
                open
            })
            .collect();
        for (root, jobs) in [(1, 50), (2, 1)] {
            for _ in 0..jobs {
                let order = order.clone();
                assert!(pool.spawn(root, move || order.send(root).unwrap()).is_ok());
            }
        }
        drop(order);
        gates.into_iter().for_each(|gate| gate.send(()).unwrap());
        let order: Vec<u64> = done.into_iter().collect();
        assert_eq!(order.len(), 51);
        let place = order.iter().position(|root| *root == 2).unwrap();
        assert!(place <= 2 * THREADS, "{place}");
    }

    #[test]
    fn jobs_run_after_a_panic_and_without_threads_and_idle_threads_are_reused() {
        let pool = pool();
        let (sender, done) = channel();
        let job = |n: u64| {
            let sender = sender.clone();
            move || sender.send((n, current().id())).unwrap()
        };
        spawn_failure::during("tgp-test", || pool.spawn_or_run(1, job(1)));
        assert_eq!(done.recv().unwrap(), (1, current().id()));
        assert!(pool.spawn(1, || resume_unwind(Box::new("no"))).is_ok());
        let mut seen = HashSet::new();
        for n in 2..20 {
            assert!(pool.spawn(1, job(n)).is_ok());
            let (received, thread) = done.recv().unwrap();
            assert_eq!(received, n);
            seen.insert(thread);
        }
        assert!(seen.len() <= THREADS && !seen.contains(&current().id()));
    }

    #[test]
    fn a_refused_job_does_not_affect_others() {
        let pool = WorkPool::new("tgp-test", THREADS);
        let (open, gate) = channel::<()>();
        assert!(pool.spawn(1, move || assert!(gate.recv().is_err())).is_ok());
        let (sender, done) = channel();
        let other = sender.clone();
        // There is a thread, so this job is queued.
        assert!(spawn_failure::during("tgp-test", || pool.spawn(2, move || other.send(2).unwrap())).is_ok());
        let empty = WorkPool::new("tgp-test", THREADS);
        let refused = spawn_failure::during("tgp-test", || empty.spawn(3, move || sender.send(3).unwrap()));
        assert!(refused.is_err());
        drop(refused);
        drop(open);
        assert_eq!(done.into_iter().collect::<Vec<u64>>(), [2]);
    }

    #[test]
    fn idle_threads_end() {
        let pool = pool();
        let (sender, done) = channel::<()>();
        assert!(pool.spawn(1, move || drop(sender)).is_ok());
        assert!(done.recv().is_err());
        let inner = Arc::clone(&pool.0);
        let deadline = Instant::now() + IDLE_TIMEOUT * 20;
        while inner.state.lock().threads > 0 {
            assert!(Instant::now() < deadline);
            sleep(IDLE_TIMEOUT / 20);
        }
        assert!(pool.spawn(1, || {}).is_ok());
        drop(pool);
        while inner.state.lock().threads > 0 {
            assert!(Instant::now() < deadline);
            sleep(IDLE_TIMEOUT / 20);
        }
    }
}
