//! A thread that looks after a pool when the earliest deadline has come. There is none for as long as there is no deadline.

use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::threads;

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
    /// Has a thread `look` at `deadline` at the latest. Only an earlier one than it knows of wakes it. When the system refuses
    /// a thread, the next call tries again.
    pub fn wake_by(self: &Arc<Self>, deadline: Instant, look: impl Fn() + Send + 'static) {
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
        let spawned = threads::spawn("tgp-supervisor", move || supervisor.look_when_due(look));
        if spawned.is_err() {
            self.alarm.lock().has_thread = false;
        }
    }

    /// There is no deadline any more.
    pub fn rest(&self) {
        self.alarm.lock().wake_at = None;
        self.changed.notify_one();
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
                self.alarm.lock().bring_forward(Instant::now() + AFTER_PANIC);
            }
        }
    }

    /// Waits for the deadline; false when there is none any more, and then there is no thread.
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
    /// Whether the thread has to know.
    fn bring_forward(&mut self, deadline: Instant) -> bool {
        let is_earlier = self.wake_at.is_none_or(|known| deadline < known);
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
    fn it_looks_once_for_a_deadline_and_its_thread_ends_when_there_is_none() {
        let supervisor = Arc::<Supervisor>::default();
        let (sender, looks) = unbounded();
        let look = move || sender.send(Instant::now()).unwrap();
        let deadline = Instant::now() + SOON;
        supervisor.wake_by(Instant::now() + LATE, look.clone());
        supervisor.wake_by(deadline, look.clone());
        supervisor.wake_by(Instant::now() + LATE, look);
        assert!(looks.recv_timeout(LATE).unwrap() >= deadline);
        let end = looks.recv_timeout(LATE).unwrap_err();
        assert_eq!(end, RecvTimeoutError::Disconnected, "the thread has ended and dropped its sender");
    }

    #[test]
    fn it_rests_when_it_is_told_to_and_looks_again_for_a_new_deadline() {
        let supervisor = Arc::<Supervisor>::default();
        for end in [Supervisor::rest, Supervisor::close] {
            let (sender, looks) = unbounded();
            let look = move || sender.send(()).unwrap();
            supervisor.wake_by(Instant::now(), look.clone());
            looks.recv_timeout(LATE).unwrap();
            supervisor.wake_by(Instant::now() + LATE, look);
            end(&supervisor);
            assert_eq!(looks.recv_timeout(LATE), Err(RecvTimeoutError::Disconnected));
            while supervisor.alarm.lock().has_thread {
                std::thread::yield_now();
            }
        }
    }

    #[test]
    fn it_outlives_a_panic_and_a_thread_that_was_refused() {
        let supervisor = Arc::<Supervisor>::default();
        let (sender, looks) = unbounded();
        let look = move || {
            sender.send(()).unwrap();
            resume_unwind(Box::new("no"));
        };
        spawn_failure::during("tgp-supervisor", || supervisor.wake_by(Instant::now(), look.clone()));
        supervisor.wake_by(Instant::now() + LATE, look);
        for _ in 0..3 {
            looks.recv_timeout(LATE).unwrap();
        }
        supervisor.close();
    }
}
