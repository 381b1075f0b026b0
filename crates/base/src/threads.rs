//! Threads and pools in the application's process. A panic ends its job, never the application.
//!
//! Only this module starts threads or pools; the architecture test enforces it. A job that must report a result reports it
//! after a panic as well: types that carry an answer send one when they are dropped, as `Promised` and `Reply` do.

mod sleeping_thread;

pub use sleeping_thread::{Next, Priority, SleepingThread, WakeError};

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::thread::{Builder, JoinHandle, available_parallelism, scope};

/// The fewest items for which a thread is started.
const SMALLEST_SHARE: usize = 32;

/// The cores that this process may use. On Linux the system reads its answer from files of the control group, every time.
static CORES: LazyLock<usize> = LazyLock::new(|| available_parallelism().map_or(1, NonZero::get));

/// A job that panicked. What it owned is dropped; what it shared may be inconsistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panicked;

/// Runs `job` and catches its panic.
pub fn contain<T>(job: impl FnOnce() -> T) -> Result<T, Panicked> {
    catch_unwind(AssertUnwindSafe(job)).map_err(|_| Panicked)
}

/// Runs `job` on a new thread.
pub fn spawn<T: Send + 'static>(
    name: &str,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    #[cfg(any(test, feature = "fault-injection"))]
    spawn_failure::check(name)?;
    Builder::new().name(name.to_owned()).spawn(move || contain(job))
}

/// Runs `job` on a new thread with `stack` bytes of stack.
pub fn spawn_with_stack<T: Send + 'static>(
    name: &str,
    stack: usize,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    #[cfg(any(test, feature = "fault-injection"))]
    spawn_failure::check(name)?;
    Builder::new().name(name.to_owned()).stack_size(stack).spawn(move || contain(job))
}

/// Runs `job` on a new thread of low priority, where the system supports that.
pub fn spawn_low_priority<T: Send + 'static>(
    name: &str,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    spawn(name, move || {
        lower_priority();
        job()
    })
}

/// Lowers the priority of the current thread. On Linux each thread has its own priority.
#[cfg(target_os = "linux")]
fn lower_priority() {
    const NICE: i32 = 10;
    // On failure the thread keeps its priority, which is harmless.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), NICE);
}

#[cfg(not(target_os = "linux"))]
fn lower_priority() {}

/// A pool that survives panics of its jobs; `None` when the system refuses threads.
#[must_use]
pub fn pool(name: &'static str, threads: usize) -> Option<ThreadPool> {
    // Without a handler rayon aborts the process. The panic's message has been printed by then.
    let ignore = |_| {};
    ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(move |_| name.to_owned())
        .panic_handler(ignore)
        .build()
        .ok()
}

/// Maps all items with `job`, in order, and splits many items among scoped threads. A pool is not used: a pool thread that
/// waits for other jobs may run one of them meanwhile, and that one may need a lock that the waiting job holds.
pub fn parallel_map<I: Sync, T: Send>(name: &str, items: &[I], job: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let share =
        if items.len() <= SMALLEST_SHARE { SMALLEST_SHARE } else { items.len().div_ceil(*CORES).max(SMALLEST_SHARE) };
    let make = |items: &[I]| items.iter().map(&job).collect::<Vec<T>>();
    scope(|scope| {
        let mut shares = items.chunks(share);
        let own = shares.next().unwrap_or_default();
        let start = |items| {
            #[cfg(any(test, feature = "fault-injection"))]
            spawn_failure::check(name).map_err(|_| items)?;
            Builder::new().name(name.to_owned()).spawn_scoped(scope, move || make(items)).map_err(|_| items)
        };
        let others: Vec<_> = shares.map(start).collect();
        let mut mapped = make(own);
        for other in others {
            match other {
                Ok(thread) => mapped.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic))),
                Err(refused) => mapped.extend(make(refused)),
            }
        }
        mapped
    })
}

/// A callback that is called exactly once. If it is dropped uncalled, for example by a panic, it is called with the value of
/// `on_drop`.
pub struct OnceCallback<T: Send + 'static> {
    callback: Option<Box<dyn FnOnce(T) + Send>>,
    on_drop: fn() -> T,
}

impl<T: Send + 'static> OnceCallback<T> {
    pub fn new(on_drop: fn() -> T, callback: impl FnOnce(T) + Send + 'static) -> Self {
        Self { callback: Some(Box::new(callback)), on_drop }
    }

    /// Calls the callback with `value`. A panic in it is contained.
    pub fn complete(mut self, value: T) {
        if let Some(callback) = self.callback.take() {
            let _panicked = contain(|| callback(value));
        }
    }
}

impl<T: Send + 'static> Drop for OnceCallback<T> {
    fn drop(&mut self) {
        let Some(callback) = self.callback.take() else { return };
        let on_drop = self.on_drop;
        // The thread that drops it may hold locks that the callback needs, so the call is made on another one. If no thread
        // starts, the callback is not called.
        let _refused = spawn("tgp-lost", move || callback(on_drop()));
    }
}

/// Simulates, for tests, a system that refuses to start threads.
#[cfg(any(test, feature = "fault-injection"))]
pub mod spawn_failure {
    use std::cell::Cell;
    use std::io;

    thread_local!(static FAILING: Cell<Option<&'static str>> = const { Cell::new(None) });

    /// Runs `job`; threads named `name` that it starts fail to start.
    pub fn during<T>(name: &'static str, job: impl FnOnce() -> T) -> T {
        FAILING.set(Some(name));
        let result = job();
        FAILING.set(None);
        result
    }

    pub(super) fn check(name: &str) -> io::Result<()> {
        if FAILING.get() == Some(name) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{OnceCallback, Panicked, contain, parallel_map, pool, spawn, spawn_failure, spawn_low_priority};
    use std::panic::resume_unwind;
    use std::sync::mpsc::channel;

    fn panic() {
        resume_unwind(Box::new("no"));
    }

    #[test]
    fn contain_and_spawn_return_a_panic_as_an_error() {
        assert_eq!(contain(panic), Err(Panicked));
        assert_eq!(contain(|| 7), Ok(7));
        assert_eq!(spawn("tgp-test", panic).unwrap().join().unwrap(), Err(Panicked));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn spawn_low_priority_lowers_only_its_own_thread() {
        let priority = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = priority();
        let quiet = spawn_low_priority("tgp-test", priority).unwrap().join().unwrap();
        assert_eq!(quiet, Ok((before + 10).min(19)));
        assert_eq!(priority(), before);
    }

    #[test]
    fn once_callback_fires_exactly_once() {
        let (sender, receiver) = channel();
        let once = |sender: &std::sync::mpsc::Sender<u32>| {
            let sender = sender.clone();
            OnceCallback::new(|| 0, move |value| sender.send(value).unwrap())
        };
        once(&sender).complete(7);
        assert_eq!(receiver.recv(), Ok(7));
        let dropped = once(&sender);
        assert_eq!(contain(move || (dropped, panic()).1), Err(Panicked));
        assert_eq!(receiver.recv(), Ok(0));
        OnceCallback::new(|| (), |()| panic()).complete(());
        drop(sender);
        assert!(receiver.recv().is_err(), "the callback is not called twice");
    }

    #[test]
    fn parallel_map_keeps_order_with_and_without_threads() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
        let double = || parallel_map("tgp-test", &items, |item| item * 2);
        assert_eq!(double(), doubled);
        assert_eq!(spawn_failure::during("tgp-test", double), doubled);
        assert!(parallel_map("tgp-test", &[], |item: &u8| *item).is_empty());
        assert_eq!(
            contain(|| parallel_map("tgp-test", &items, |item| if *item == 999 {
                panic();
            })),
            Err(Panicked)
        );
    }

    #[test]
    fn a_pool_survives_panics_of_its_jobs() {
        let pool = pool("tgp-test", 1).unwrap();
        pool.spawn(panic);
        let (sender, receiver) = channel();
        pool.spawn(move || sender.send(7).unwrap());
        assert_eq!(receiver.recv(), Ok(7));
    }
}
