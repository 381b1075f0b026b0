//! Threads of ours in the application's process: a panic on one ends its job, never the application.
//!
//! Nothing else starts threads or pools; the architecture test holds that. A job that owes somebody an answer owes it
//! after a panic as well: the means to answer must answer when they are dropped, as `Promised` and `Reply` do.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::io;
use std::num::NonZero;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread::{Builder, JoinHandle, available_parallelism, scope};

/// Fewer items than this are not worth a thread.
const SMALLEST_SHARE: usize = 32;

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
    #[cfg(any(test, feature = "fault-injection"))]
    refusal::check(name)?;
    Builder::new().name(name.to_owned()).spawn(move || contain(job))
}

/// Does `job` on a thread with `stack` bytes of stack.
pub fn spawn_with_stack<T: Send + 'static>(
    name: &str,
    stack: usize,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    #[cfg(any(test, feature = "fault-injection"))]
    refusal::check(name)?;
    Builder::new().name(name.to_owned()).stack_size(stack).spawn(move || contain(job))
}

/// Does `job` on a thread of its own that makes way for all others, where the system knows of such.
pub fn spawn_quiet<T: Send + 'static>(
    name: &str,
    job: impl FnOnce() -> T + Send + 'static,
) -> io::Result<JoinHandle<Result<T, Panicked>>> {
    spawn(name, move || {
        make_way();
        job()
    })
}

/// Lowers the priority of this very thread: on Linux threads have one of their own.
#[cfg(target_os = "linux")]
fn make_way() {
    const QUIET: i32 = 10;
    // At a priority like any other it still works.
    let _ = rustix::process::setpriority_process(Some(rustix::thread::gettid()), QUIET);
}

#[cfg(not(target_os = "linux"))]
fn make_way() {}

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

/// What `job` makes of each item, in their order; many items are shared out among threads of their own. They are no
/// pool's: who waits for a pool on one of its threads may be given another job meanwhile, and that one may want a lock that
/// the waiting one holds.
pub fn map_all<I: Sync, T: Send>(name: &str, items: &[I], job: impl Fn(&I) -> T + Sync) -> Vec<T> {
    let threads = available_parallelism().map_or(1, NonZero::get);
    let share = items.len().div_ceil(threads).max(SMALLEST_SHARE);
    let make = |items: &[I]| items.iter().map(&job).collect::<Vec<T>>();
    scope(|scope| {
        let mut shares = items.chunks(share);
        let own = shares.next().unwrap_or_default();
        let start = |items| {
            #[cfg(any(test, feature = "fault-injection"))]
            refusal::check(name).map_err(|_| items)?;
            Builder::new().name(name.to_owned()).spawn_scoped(scope, move || make(items)).map_err(|_| items)
        };
        let others: Vec<_> = shares.map(start).collect();
        let mut made = make(own);
        for other in others {
            match other {
                Ok(thread) => made.extend(thread.join().unwrap_or_else(|panic| resume_unwind(panic))),
                Err(refused) => made.extend(make(refused)),
            }
        }
        made
    })
}

/// A callback that somebody waits for. If it is dropped uncalled, by a panic for one, it is called all the same, with what
/// was agreed on for that case.
pub struct Owed<T: Send + 'static> {
    callback: Option<Box<dyn FnOnce(T) + Send>>,
    lost: fn() -> T,
}

impl<T: Send + 'static> Owed<T> {
    pub fn new(lost: fn() -> T, callback: impl FnOnce(T) + Send + 'static) -> Self {
        Self { callback: Some(Box::new(callback)), lost }
    }

    /// Calls it. A panic in it is its own affair.
    pub fn pay(mut self, value: T) {
        if let Some(callback) = self.callback.take() {
            let _panicked = contain(|| callback(value));
        }
    }
}

impl<T: Send + 'static> Drop for Owed<T> {
    fn drop(&mut self) {
        let Some(callback) = self.callback.take() else { return };
        let lost = self.lost;
        // Whoever dropped it may hold locks that the callback needs. Without a thread nobody can be told in safety.
        let _refused = spawn("tgp-lost", move || callback(lost()));
    }
}

/// Lets a test have the system refuse threads.
#[cfg(any(test, feature = "fault-injection"))]
pub mod refusal {
    use std::cell::Cell;
    use std::io;

    thread_local!(static REFUSED: Cell<Option<&'static str>> = const { Cell::new(None) });

    /// Does `job`; threads named `name` that it starts are refused.
    pub fn during<T>(name: &'static str, job: impl FnOnce() -> T) -> T {
        REFUSED.set(Some(name));
        let made = job();
        REFUSED.set(None);
        made
    }

    pub(super) fn check(name: &str) -> io::Result<()> {
        if REFUSED.get() == Some(name) { Err(io::ErrorKind::WouldBlock.into()) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Owed, Panicked, contain, map_all, pool, refusal, spawn, spawn_quiet};
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

    #[cfg(target_os = "linux")]
    #[test]
    fn a_quiet_thread_makes_way_and_the_others_do_not() {
        let priority = || rustix::process::getpriority_process(Some(rustix::thread::gettid())).unwrap();
        let before = priority();
        let quiet = spawn_quiet("tgp-test", priority).unwrap().join().unwrap();
        assert_eq!(quiet, Ok((before + 10).min(19)));
        assert_eq!(priority(), before);
    }

    #[test]
    fn what_is_owed_is_paid_once_whatever_happens() {
        let (tell, told) = channel();
        let owed = |tell: &std::sync::mpsc::Sender<u32>| {
            let tell = tell.clone();
            Owed::new(|| 0, move |value| tell.send(value).unwrap())
        };
        owed(&tell).pay(7);
        assert_eq!(told.recv(), Ok(7));
        let dropped = owed(&tell);
        assert_eq!(contain(move || (dropped, panic()).1), Err(Panicked));
        assert_eq!(told.recv(), Ok(0));
        Owed::new(|| (), |()| panic()).pay(());
        drop(tell);
        assert!(told.recv().is_err(), "nothing is told twice");
    }

    #[test]
    fn many_items_keep_their_order_with_and_without_threads() {
        let items: Vec<usize> = (0..1000).collect();
        let doubled: Vec<usize> = items.iter().map(|item| item * 2).collect();
        let double = || map_all("tgp-test", &items, |item| item * 2);
        assert_eq!(double(), doubled);
        assert_eq!(refusal::during("tgp-test", double), doubled);
        assert!(map_all("tgp-test", &[], |item: &u8| *item).is_empty());
        assert_eq!(
            contain(|| map_all("tgp-test", &items, |item| if *item == 999 {
                panic();
            })),
            Err(Panicked)
        );
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
