//! The CPU time of one thread, readable from another.

use std::time::Duration;

/// Reads the CPU time of the thread it was created on.
#[cfg(target_os = "linux")]
#[derive(Debug, Clone, Copy)]
pub struct ThreadClock(libc::clockid_t);

#[cfg(target_os = "linux")]
impl ThreadClock {
    /// The clock of the calling thread; `None` if the system has none.
    pub fn of_current_thread() -> Option<Self> {
        let mut clock: libc::clockid_t = 0;
        // SAFETY: `pthread_self` has no precondition.
        let thread = unsafe { libc::pthread_self() };
        // SAFETY: `thread` is the running thread, so it is alive, and `clock` is valid for writes.
        let error = unsafe { libc::pthread_getcpuclockid(thread, &raw mut clock) };
        (error == 0).then_some(Self(clock))
    }

    /// CPU time used so far; `None` once the thread has ended.
    pub fn now(self) -> Option<Duration> {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: a clock id is a plain number: an invalid one makes the call fail.
        let error = unsafe { libc::clock_gettime(self.0, &raw mut time) };
        if error != 0 {
            return None;
        }
        Some(Duration::new(u64::try_from(time.tv_sec).ok()?, u32::try_from(time.tv_nsec).ok()?))
    }
}

/// On other systems a thread's CPU clock cannot be read from outside; wall time is used instead, which is stricter.
#[cfg(not(target_os = "linux"))]
#[derive(Debug, Clone, Copy)]
pub struct ThreadClock(std::time::Instant);

#[cfg(not(target_os = "linux"))]
impl ThreadClock {
    pub fn of_current_thread() -> Option<Self> {
        Some(Self(std::time::Instant::now()))
    }

    pub fn now(self) -> Option<Duration> {
        Some(self.0.elapsed())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::ThreadClock;
    use std::time::{Duration, Instant};

    #[test]
    fn sleeping_is_not_cpu_time_and_spinning_is() {
        let clock = ThreadClock::of_current_thread().unwrap();
        let before = clock.now().unwrap();
        std::thread::sleep(Duration::from_millis(50));
        let slept = clock.now().unwrap();
        assert!(slept - before < Duration::from_millis(20));
        let started = Instant::now();
        while clock.now().unwrap() - slept < Duration::from_millis(5) {
            assert!(started.elapsed() < Duration::from_secs(10), "the clock must move while the thread works");
        }
    }
}
