//! A thread that looks after a pool when the earliest deadline has come, and sleeps for as long as there is none.

use crate::threads;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How long after a panic it looks again.
const AFTER_PANIC: Duration = Duration::from_millis(50);

/// The alarm clock of the thread. It outlives the pool for a moment; the pool does not live for its sake.
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
    /// Starts the thread, unless there is one. When the system refuses it, the next call tries again.
    pub fn ensure_thread(self: &Arc<Self>, look: impl Fn() + Send + 'static) {
        if std::mem::replace(&mut self.alarm.lock().has_thread, true) {
            return;
        }
        let supervisor = Arc::clone(self);
        let spawned = threads::spawn("tgp-supervisor", move || supervisor.look_when_due(look));
        if spawned.is_err() {
            self.alarm.lock().has_thread = false;
        }
    }

    /// Has the thread look at `deadline` at the latest. Only an earlier one than it knows of wakes it.
    pub fn wake_by(&self, deadline: Instant) {
        let mut alarm = self.alarm.lock();
        if alarm.wake_at.is_none_or(|known| deadline < known) {
            alarm.wake_at = Some(deadline);
            self.changed.notify_one();
        }
    }

    /// Ends the thread.
    pub fn close(&self) {
        self.alarm.lock().closed = true;
        self.changed.notify_one();
    }

    fn look_when_due(&self, look: impl Fn()) {
        while self.sleep() {
            // A look that panicked has set no next deadline: the others must not be left without a supervisor.
            if threads::contain(&look).is_err() {
                self.wake_by(Instant::now() + AFTER_PANIC);
            }
        }
    }

    /// Waits for the deadline; false when there is nothing to look after any more.
    fn sleep(&self) -> bool {
        let mut alarm = self.alarm.lock();
        while !alarm.closed {
            match alarm.wake_at {
                None => self.changed.wait(&mut alarm),
                Some(deadline) if Instant::now() < deadline => {
                    self.changed.wait_until(&mut alarm, deadline);
                }
                Some(_) => {
                    alarm.wake_at = None;
                    return true;
                }
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::Supervisor;
    use crate::threads::refusal;
    use crossbeam_channel::{RecvTimeoutError, unbounded};
    use std::panic::resume_unwind;
    use std::sync::Arc;
    use std::time::{Duration, Instant};

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60);

    #[test]
    fn it_looks_once_for_a_deadline_and_never_without_one() {
        let supervisor = Arc::<Supervisor>::default();
        let (sender, looks) = unbounded();
        supervisor.ensure_thread(move || sender.send(Instant::now()).unwrap());
        assert!(looks.recv_timeout(SOON * 5).is_err(), "there is nothing to look at");
        let deadline = Instant::now() + SOON;
        supervisor.wake_by(Instant::now() + LATE);
        supervisor.wake_by(deadline);
        supervisor.wake_by(Instant::now() + LATE);
        assert!(looks.recv_timeout(LATE).unwrap() >= deadline);
        assert!(looks.recv_timeout(SOON * 5).is_err(), "once is enough");
        supervisor.close();
        let end = looks.recv_timeout(LATE).unwrap_err();
        assert_eq!(end, RecvTimeoutError::Disconnected, "the thread has ended and dropped its sender");
    }

    #[test]
    fn it_outlives_a_panic_and_a_thread_that_was_refused() {
        let supervisor = Arc::<Supervisor>::default();
        let (sender, looks) = unbounded();
        let look = move || {
            sender.send(()).unwrap();
            resume_unwind(Box::new("no"));
        };
        refusal::during("tgp-supervisor", || supervisor.ensure_thread(look.clone()));
        supervisor.ensure_thread(look);
        supervisor.wake_by(Instant::now());
        for _ in 0..3 {
            looks.recv_timeout(LATE).unwrap();
        }
        supervisor.close();
    }
}
