//! Threads for work that a guest has asked for and that takes its time. The roots of runs take turns: one that asks for much
//! does not keep the others waiting.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Duration;
use tgp_base::ids::RunId;
use tgp_base::threads;
use tgp_base::turns::Turns;

/// Compiling and bundling use the processor, so more threads than this gain nothing.
const THREADS: usize = 2;

/// How long a thread waits for the next job before it ends: a kernel that rests has no threads.
const PATIENCE: Duration = Duration::from_secs(2);

type Job = Box<dyn FnOnce() + Send>;

#[derive(Default)]
pub struct Background(Arc<Desk>);

#[derive(Default)]
struct Desk {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: Turns<RunId, Job>,
    threads: usize,
    /// How many of the threads wait for a job.
    idle: usize,
    closed: bool,
}

impl Background {
    /// Does `job` of the tree of `root` on a thread of its own kind; on the caller's when the system refuses threads.
    pub fn spawn(&self, root: RunId, job: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state.lock();
        state.waiting.push(root, Box::new(job));
        if state.idle >= state.waiting.len() {
            self.0.changed.notify_one();
            return;
        }
        if state.threads >= THREADS {
            return;
        }
        state.threads += 1;
        drop(state);
        let desk = Arc::clone(&self.0);
        if threads::spawn("tgp-host", move || desk.attend()).is_err() {
            self.0.without_thread();
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.0.state.lock().closed = true;
        self.0.changed.notify_all();
    }
}

impl Desk {
    /// Does jobs for as long as there are some.
    fn attend(&self) {
        while let Some(job) = self.next() {
            // Whoever waits for it hears of a panic by what the job owned.
            let _panicked = threads::contain(job);
        }
    }

    /// The next job; without one the thread is no longer counted.
    fn next(&self) -> Option<Job> {
        let mut state = self.state.lock();
        let mut is_patient = true;
        loop {
            if let Some(job) = state.waiting.next(|_| true) {
                return Some(job);
            }
            if state.closed || !is_patient {
                state.threads -= 1;
                return None;
            }
            state.idle += 1;
            is_patient = !self.changed.wait_for(&mut state, PATIENCE).timed_out();
            state.idle -= 1;
        }
    }

    /// The system has refused a thread: others do the job, or else the caller.
    fn without_thread(&self) {
        let mut state = self.state.lock();
        state.threads -= 1;
        while state.threads == 0
            && let Some(job) = state.waiting.next(|_| true)
        {
            drop(state);
            let _panicked = threads::contain(job);
            state = self.state.lock();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Background, PATIENCE, THREADS};
    use std::collections::HashSet;
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::sync::mpsc::channel;
    use std::thread::{current, sleep};
    use std::time::Instant;
    use tgp_base::ids::RunId;
    use tgp_base::threads::refusal;

    #[test]
    fn one_root_with_many_jobs_does_not_keep_another_waiting() {
        let background = Background::default();
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

    #[test]
    fn jobs_are_done_after_a_panic_and_without_threads_and_a_thread_that_waits_is_used_again() {
        let background = Background::default();
        let (tell, done) = channel();
        let job = |n: u64| {
            let tell = tell.clone();
            move || tell.send((n, current().id())).unwrap()
        };
        refusal::during("tgp-host", || background.spawn(RunId(1), job(1)));
        assert_eq!(done.recv().unwrap(), (1, current().id()));
        background.spawn(RunId(1), || resume_unwind(Box::new("no")));
        let mut seen = HashSet::new();
        for n in 2..20 {
            background.spawn(RunId(1), job(n));
            let (told, thread) = done.recv().unwrap();
            assert_eq!(told, n);
            seen.insert(thread);
        }
        assert!(seen.len() <= THREADS && !seen.contains(&current().id()));
    }

    #[test]
    fn threads_end_when_there_is_nothing_to_do() {
        let background = Background::default();
        let (tell, done) = channel::<()>();
        background.spawn(RunId(1), move || drop(tell));
        assert!(done.recv().is_err());
        let desk = Arc::clone(&background.0);
        let deadline = Instant::now() + PATIENCE * 20;
        while desk.state.lock().threads > 0 {
            assert!(Instant::now() < deadline);
            sleep(PATIENCE / 20);
        }
        background.spawn(RunId(1), || {});
        drop(background);
        while desk.state.lock().threads > 0 {
            assert!(Instant::now() < deadline);
            sleep(PATIENCE / 20);
        }
    }
}
