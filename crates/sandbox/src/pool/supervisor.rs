//! The supervisor thread of a pool: wakes at the earliest deadline. It exists only while there is a deadline.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads;

/// Delay of the next check after a panic.
const AFTER_PANIC: Duration = Duration::from_millis(50);

/// The wake-up time of the thread. It holds no reference to the pool, and may outlive it for a moment.
#[derive(Default)]
pub struct Supervisor {
    alarm: Mutex<Alarm>,
    changed: Condvar,
}

#[derive(Default)]
struct Alarm {
    wake_at: Option<Instant>,
    has_thread: bool,
    closed: bool,
}

impl Supervisor {
    /// Calls `check` on the thread at `deadline` at the latest. Only an earlier deadline than the current one wakes the thread. If no
    /// thread can be started, the next call tries again.
    pub fn wake_by(self: &Arc<Self>, deadline: Instant, check: impl Fn() + Send + 'static) {
        let mut alarm = self.alarm.lock();
        if alarm.closed {
            return;
        }
        let is_earlier = alarm.bring_forward(deadline);
        if std::mem::replace(&mut alarm.has_thread, true) {
            if is_earlier {
                self.changed.notify_one();
            }
            return;
        }
        drop(alarm);
        let supervisor = Arc::clone(self);
        let spawned = threads::spawn("tgp-supervisor", move || supervisor.check_when_due(check));
        if spawned.is_err() {
            self.alarm.lock().has_thread = false;
        }
    }

    /// Clears the deadline; the thread ends.
    pub fn rest(&self) {
        self.alarm.lock().wake_at = None;
        self.changed.notify_one();
    }

    /// Ends the thread.
    pub fn close(&self) {
        self.alarm.lock().closed = true;
        self.changed.notify_one();
    }

    fn check_when_due(&self, check: impl Fn()) {
        while self.sleep() {
            // A check that panicked has not set the next deadline, so one is set here.
            if threads::contain(&check).is_err() {
                self.alarm.lock().bring_forward(Instant::now() + AFTER_PANIC);
            }
        }
    }

    /// Waits for the deadline; false if there is none, and then the thread ends.
    fn sleep(&self) -> bool {
        let mut alarm = self.alarm.lock();
        while !alarm.closed
            && let Some(deadline) = alarm.wake_at
        {
            if Instant::now() >= deadline {
                alarm.wake_at = None;
                return true;
            }
            self.changed.wait_until(&mut alarm, deadline);
        }
        alarm.has_thread = false;
        false
    }
}

impl Alarm {
    /// Sets an earlier deadline; true if it was earlier.
    fn bring_forward(&mut self, deadline: Instant) -> bool {
        let is_earlier = self.wake_at.is_none_or(|current| deadline < current);
        if is_earlier {
            self.wake_at = Some(deadline);
        }
        is_earlier
    }
}

#[cfg(test)]
mod tests {
    use super::Supervisor;
    use crossbeam_channel::{RecvTimeoutError, unbounded};
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::time::{Duration, Instant};
    use tgp_base::threads::spawn_failure;

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn it_checks_once_per_deadline_and_ends_without_one() {
        let supervisor = Arc::<Supervisor>::default();
        let (sender, checks) = unbounded();
        let check = move || sender.send(Instant::now()).unwrap();
        let deadline = Instant::now() + SOON;
        supervisor.wake_by(Instant::now() + LATE, check.clone());
        supervisor.wake_by(deadline, check.clone());
        supervisor.wake_by(Instant::now() + LATE, check);
        assert!(checks.recv_timeout(LATE).unwrap() >= deadline);
        let end = checks.recv_timeout(LATE).unwrap_err();
        assert_eq!(end, RecvTimeoutError::Disconnected, "the thread has ended and dropped its sender");
    }

    #[test]
    fn rest_and_close_end_the_thread_and_a_new_deadline_restarts_it() {
        let supervisor = Arc::<Supervisor>::default();
        for end in [Supervisor::rest, Supervisor::close] {
            let (sender, checks) = unbounded();
            let check = move || sender.send(()).unwrap();
            supervisor.wake_by(Instant::now(), check.clone());
            checks.recv_timeout(LATE).unwrap();
            supervisor.wake_by(Instant::now() + LATE, check);
            end(&supervisor);
            assert_eq!(checks.recv_timeout(LATE), Err(RecvTimeoutError::Disconnected));
            while supervisor.alarm.lock().has_thread {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn it_survives_a_panic_and_a_failed_thread_start() {
        let supervisor = Arc::<Supervisor>::default();
        let (sender, checks) = unbounded();
        let check = move || {
            sender.send(()).unwrap();
            resume_unwind(Box::new("no"));
        };
        spawn_failure::during("tgp-supervisor", || supervisor.wake_by(Instant::now(), check.clone()));
        supervisor.wake_by(Instant::now() + LATE, check);
        for _ in 0..3 {
            checks.recv_timeout(LATE).unwrap();
        }
        supervisor.close();
    }
}
