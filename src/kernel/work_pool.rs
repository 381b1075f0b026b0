//! Threads for work that takes its time. The owners of jobs take turns, so that one that asks for much does not keep the
//! others waiting; a pool that rests has no threads.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;
use tgp_base::round_robin_queue::RoundRobinQueue;
use tgp_base::threads;

/// How long a thread waits for the next job before it ends.
const IDLE_TIMEOUT: Duration = Duration::from_secs(2);

type Job = Box<dyn FnOnce() + Send>;

/// The system refuses threads, and the pool has none: the job that was not taken.
pub struct Refused(Job);

pub struct WorkPool<K>(Arc<Desk<K>>);

struct Desk<K> {
    name: &'static str,
    most_threads: usize,
    state: Mutex<State<K>>,
    changed: Condvar,
}

struct State<K> {
    waiting: RoundRobinQueue<K, Job>,
    threads: usize,
    /// How many of the threads wait for a job.
    idle: usize,
    closed: bool,
}

impl<K: PartialEq + Send + 'static> WorkPool<K> {
    /// A pool of at most so many threads, which have this name.
    #[must_use]
    pub fn new(name: &'static str, most_threads: usize) -> Self {
        let state = Mutex::new(State { waiting: RoundRobinQueue::default(), threads: 0, idle: 0, closed: false });
        Self(Arc::new(Desk { name, most_threads, state, changed: Condvar::new() }))
    }

    /// Does `job` of `owner` on a thread of the pool.
    ///
    /// # Errors
    /// `Refused` when there is no thread and the system gives none.
    pub fn spawn(&self, owner: K, job: impl FnOnce() + Send + 'static) -> Result<(), Refused> {
        // The thread is started under the lock: no job is queued for a thread that does not come.
        let mut state = self.0.state.lock();
        if state.idle <= state.waiting.len() && state.threads < self.0.most_threads {
            let desk = Arc::clone(&self.0);
            if threads::spawn(self.0.name, move || desk.attend()).is_ok() {
                state.threads += 1;
            } else if state.threads == 0 {
                return Err(Refused(Box::new(job)));
            }
        }
        state.waiting.push(owner, Box::new(job));
        self.0.changed.notify_one();
        Ok(())
    }

    /// The same, on this very thread where there is no other.
    pub fn spawn_or_run(&self, owner: K, job: impl FnOnce() + Send + 'static) {
        if let Err(Refused(job)) = self.spawn(owner, job) {
            let _panicked = threads::contain(job);
        }
    }
}

impl<K> Drop for WorkPool<K> {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl<K: PartialEq> Desk<K> {
    /// Does jobs for as long as there are some.
    fn attend(&self) {
        while let Some(job) = self.next() {
            // The caller learns of a panic by what the job owned.
            let _panicked = threads::contain(job);
        }
    }

    /// The next job; without one the thread is no longer counted.
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
    fn one_owner_with_many_jobs_does_not_keep_another_waiting() {
        let pool = pool();
        let (order, done) = channel();
        // Holds every thread until all jobs wait.
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
    fn jobs_are_done_after_a_panic_and_without_threads_and_a_thread_that_waits_is_used_again() {
        let pool = pool();
        let (tell, done) = channel();
        let job = |n: u64| {
            let tell = tell.clone();
            move || tell.send((n, current().id())).unwrap()
        };
        spawn_failure::during("tgp-test", || pool.spawn_or_run(1, job(1)));
        assert_eq!(done.recv().unwrap(), (1, current().id()));
        assert!(pool.spawn(1, || resume_unwind(Box::new("no"))).is_ok());
        let mut seen = HashSet::new();
        for n in 2..20 {
            assert!(pool.spawn(1, job(n)).is_ok());
            let (told, thread) = done.recv().unwrap();
            assert_eq!(told, n);
            seen.insert(thread);
        }
        assert!(seen.len() <= THREADS && !seen.contains(&current().id()));
    }

    #[test]
    fn a_job_that_is_refused_takes_no_other_along() {
        let pool = WorkPool::new("tgp-test", THREADS);
        let (open, gate) = channel::<()>();
        assert!(pool.spawn(1, move || assert!(gate.recv().is_err())).is_ok());
        let (tell, done) = channel();
        let other = tell.clone();
        // There is a thread, so this one waits for it.
        assert!(spawn_failure::during("tgp-test", || pool.spawn(2, move || other.send(2).unwrap())).is_ok());
        let empty = WorkPool::new("tgp-test", THREADS);
        let refused = spawn_failure::during("tgp-test", || empty.spawn(3, move || tell.send(3).unwrap()));
        assert!(refused.is_err());
        drop(refused);
        drop(open);
        assert_eq!(done.into_iter().collect::<Vec<u64>>(), [2]);
    }

    #[test]
    fn threads_end_when_there_is_nothing_to_do() {
        let pool = pool();
        let (tell, done) = channel::<()>();
        assert!(pool.spawn(1, move || drop(tell)).is_ok());
        assert!(done.recv().is_err());
        let desk = Arc::clone(&pool.0);
        let deadline = Instant::now() + IDLE_TIMEOUT * 20;
        while desk.state.lock().threads > 0 {
            assert!(Instant::now() < deadline);
            sleep(IDLE_TIMEOUT / 20);
        }
        assert!(pool.spawn(1, || {}).is_ok());
        drop(pool);
        while desk.state.lock().threads > 0 {
            assert!(Instant::now() < deadline);
            sleep(IDLE_TIMEOUT / 20);
        }
    }
}
