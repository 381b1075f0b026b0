//! A background thread that sleeps until its deadline or until it is woken, and exists only while it has work.

use super::{contain, spawn, spawn_low_priority};
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::time::Instant;

/// What the thread does after a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// It runs another step at once.
    Again,
    /// It sleeps until this time at the latest, then runs another step.
    At(Instant),
    /// It ends, unless it was woken or has a deadline. The next wake-up starts it again.
    End,
}

/// Why a thread was not woken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WakeError {
    Closed,
    /// The system started no thread. The deadline is kept for the next call, which tries again.
    NoThread,
}

/// The priority of the thread, where the system supports that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Priority {
    Normal,
    Low,
}

/// A thread that runs a step whenever it is woken or its deadline passes. A panic ends it like [`Next::End`]. Dropping this
/// value closes it and does not wait for a running step.
pub struct SleepingThread {
    name: &'static str,
    priority: Priority,
    alarm: Arc<Alarm>,
}

#[derive(Default)]
struct Alarm {
    state: Mutex<AlarmState>,
    changed: Condvar,
}

#[derive(Default)]
struct AlarmState {
    wake_at: Option<Instant>,
    /// Whether a thread handles wake-ups.
    is_running: bool,
    /// The running thread, and those that still drop their step.
    threads: usize,
    is_closed: bool,
}

impl SleepingThread {
    #[must_use]
    pub fn new(name: &'static str, priority: Priority) -> Self {
        Self { name, priority, alarm: Arc::default() }
    }

    /// As [`Self::wake_by`], at once. A running step is followed by another one.
    ///
    /// # Errors
    /// As [`Self::wake_by`].
    pub fn wake(&self, step: impl FnMut() -> Next + Send + 'static) -> Result<(), WakeError> {
        self.wake_by(Instant::now(), step)
    }

    /// Runs a step at `deadline` at the latest. Starts the thread with `step`, if it does not run; a running thread keeps its
    /// own.
    ///
    /// # Errors
    /// It is closed, or no thread could be started.
    pub fn wake_by(&self, deadline: Instant, step: impl FnMut() -> Next + Send + 'static) -> Result<(), WakeError> {
        // Started under the lock, so that concurrent calls start one thread.
        let mut state = self.alarm.state.lock();
        if state.is_closed {
            return Err(WakeError::Closed);
        }
        let is_earlier = state.bring_forward(deadline);
        if state.is_running {
            if is_earlier {
                self.alarm.changed.notify_all();
            }
            return Ok(());
        }
        let alarm = Arc::clone(&self.alarm);
        let run = move || alarm.run(step);
        match self.priority {
            Priority::Normal => spawn(self.name, run),
            Priority::Low => spawn_low_priority(self.name, run),
        }
        .map_err(|_| WakeError::NoThread)?;
        state.is_running = true;
        state.threads += 1;
        Ok(())
    }

    /// Wakes the thread if it runs.
    pub fn notify(&self) {
        let mut state = self.alarm.state.lock();
        if state.is_running && state.bring_forward(Instant::now()) {
            self.alarm.changed.notify_all();
        }
    }

    /// Whether there is a thread.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.alarm.state.lock().is_running
    }

    /// Whether another step follows the running one, because the thread was woken during it.
    #[must_use]
    pub fn is_woken(&self) -> bool {
        self.alarm.state.lock().is_due()
    }

    /// Clears the deadline; a sleeping thread ends.
    pub fn rest(&self) {
        self.alarm.state.lock().wake_at = None;
        self.alarm.changed.notify_all();
    }

    /// Ends the thread instead of its next sleep. It is not started again.
    pub fn close(&self) {
        self.alarm.state.lock().is_closed = true;
        self.alarm.changed.notify_all();
    }

    /// As [`Self::close`], and waits until the thread has ended and dropped its step. The step must not call this.
    pub fn join(&self) {
        self.close();
        let mut state = self.alarm.state.lock();
        while state.threads > 0 {
            self.alarm.changed.wait(&mut state);
        }
    }

    /// Waits until the thread has ended and dropped its step; false if that takes longer than until `deadline`.
    #[must_use]
    pub fn wait_for_end(&self, deadline: Instant) -> bool {
        let mut state = self.alarm.state.lock();
        while state.threads > 0 && !self.alarm.changed.wait_until(&mut state, deadline).timed_out() {}
        state.threads == 0
    }
}

impl Drop for SleepingThread {
    fn drop(&mut self) {
        self.close();
    }
}

impl Alarm {
    fn run(&self, mut step: impl FnMut() -> Next) {
        while self.sleep() {
            match contain(&mut step).unwrap_or(Next::End) {
                Next::Again => self.state.lock().bring_forward(Instant::now()),
                Next::At(deadline) => self.state.lock().bring_forward(deadline),
                Next::End => false,
            };
        }
        // The step may own values whose drop panics.
        let _panicked = contain(|| drop(step));
        self.state.lock().threads -= 1;
        self.changed.notify_all();
    }

    /// Sleeps until a step is due; false if the thread must end.
    fn sleep(&self) -> bool {
        let mut state = self.state.lock();
        loop {
            if state.is_due() {
                state.wake_at = None;
                return true;
            }
            match state.wake_at.filter(|_| !state.is_closed) {
                Some(deadline) => self.changed.wait_until(&mut state, deadline),
                None => {
                    // Under the same lock as the check, so that a later wake-up starts another thread.
                    state.is_running = false;
                    return false;
                }
            };
        }
    }
}

impl AlarmState {
    fn is_due(&self) -> bool {
        self.wake_at.is_some_and(|deadline| deadline <= Instant::now())
    }

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
    use super::{Next, Priority, SleepingThread, WakeError};
    use crate::threads::spawn_failure;
    use std::panic::resume_unwind;
    use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
    use std::time::{Duration, Instant};

    const SOON: Duration = Duration::from_millis(20);
    const LATE: Duration = Duration::from_secs(60);

    fn thread() -> SleepingThread {
        SleepingThread::new("tgp-test", Priority::Normal)
    }

    /// A step that reports its time and continues with `next`.
    fn reporting(steps: &Sender<Instant>, next: Next) -> impl FnMut() -> Next + Send + 'static {
        let steps = steps.clone();
        move || {
            steps.send(Instant::now()).unwrap();
            next
        }
    }

    fn has_ended(steps: &Receiver<Instant>) -> bool {
        steps.recv_timeout(LATE) == Err(RecvTimeoutError::Disconnected)
    }

    #[test]
    fn it_runs_one_step_at_the_earliest_deadline_and_ends() {
        let thread = thread();
        let (sender, steps) = channel();
        let deadline = Instant::now() + SOON;
        for wake_at in [Instant::now() + LATE, deadline, Instant::now() + LATE] {
            thread.wake_by(wake_at, reporting(&sender, Next::End)).unwrap();
        }
        drop(sender);
        assert!(steps.recv_timeout(LATE).unwrap() >= deadline);
        assert!(has_ended(&steps), "the thread has dropped its step");
        assert!(thread.wait_for_end(Instant::now() + LATE) && !thread.is_running());
    }

    #[test]
    fn it_continues_as_its_step_decides() {
        let thread = thread();
        let (sender, steps) = channel();
        let mut nexts = vec![Next::End, Next::At(Instant::now() + SOON), Next::Again];
        let due = Instant::now() + SOON;
        thread
            .wake(move || {
                sender.send(Instant::now()).unwrap();
                nexts.pop().unwrap()
            })
            .unwrap();
        let times: Vec<Instant> = steps.iter().collect();
        assert_eq!(times.len(), 3);
        assert!(times[1] < due || times[1] - times[0] < SOON, "the second step follows at once");
        assert!(times[2] + Duration::from_millis(1) >= due, "the third step waits for its time");
    }

    #[test]
    fn a_wake_up_during_a_step_is_followed_by_another_step_of_the_same_thread() {
        let thread = thread();
        let (began, beginnings) = channel();
        let (go, gate) = channel::<()>();
        let step = move || {
            began.send(std::thread::current().id()).unwrap();
            gate.recv().unwrap();
            Next::End
        };
        thread.wake(step).unwrap();
        let first = beginnings.recv_timeout(LATE).unwrap();
        assert!(!thread.is_woken());
        for _ in 0..3 {
            thread.wake(|| resume_unwind(Box::new("the step of a running thread is kept"))).unwrap();
        }
        assert!(thread.is_woken());
        go.send(()).unwrap();
        assert_eq!(beginnings.recv_timeout(LATE), Ok(first));
        go.send(()).unwrap();
        assert!(beginnings.recv_timeout(LATE).is_err(), "three wake-ups are one step");
    }

    #[test]
    fn notify_wakes_a_running_thread_and_starts_none() {
        let thread = thread();
        thread.notify();
        assert!(!thread.is_running());
        let (sender, steps) = channel();
        thread.wake_by(Instant::now() + LATE, reporting(&sender, Next::End)).unwrap();
        thread.notify();
        assert!(steps.recv_timeout(LATE).is_ok());
    }

    #[test]
    fn rest_ends_a_sleeping_thread_and_a_wake_up_starts_another() {
        let thread = thread();
        for _ in 0..2 {
            let (sender, steps) = channel();
            thread.wake_by(Instant::now() + LATE, reporting(&sender, Next::End)).unwrap();
            drop(sender);
            thread.rest();
            assert!(has_ended(&steps));
            assert!(thread.wait_for_end(Instant::now() + LATE));
        }
    }

    #[test]
    fn a_closed_thread_runs_what_is_due_and_never_sleeps_or_starts_again() {
        let closed = |thread: SleepingThread| {
            thread.close();
            Some(thread)
        };
        let dropped = |_: SleepingThread| None;
        for close in [closed, dropped] {
            let thread = thread();
            let (sender, steps) = channel();
            thread.wake_by(Instant::now() + LATE, reporting(&sender, Next::At(Instant::now() + LATE))).unwrap();
            thread.notify();
            let thread = close(thread);
            assert!(steps.recv_timeout(LATE).is_ok(), "a step that is due");
            if let Some(thread) = thread {
                assert!(thread.wait_for_end(Instant::now() + LATE));
                assert_eq!(thread.wake(reporting(&sender, Next::End)), Err(WakeError::Closed));
                assert!(!thread.is_running());
            }
            drop(sender);
            assert!(has_ended(&steps));
        }
    }

    #[test]
    fn it_has_dropped_its_step_when_it_has_ended() {
        let thread = thread();
        let (sender, steps) = channel();
        thread.wake_by(Instant::now() + LATE, reporting(&sender, Next::End)).unwrap();
        drop(sender);
        assert!(!thread.wait_for_end(Instant::now()), "it sleeps");
        thread.join();
        assert_eq!(steps.try_recv(), Err(std::sync::mpsc::TryRecvError::Disconnected));
    }

    #[test]
    fn a_panic_ends_it_and_the_next_wake_up_starts_it_again() {
        let thread = thread();
        thread.wake(|| resume_unwind(Box::new("no"))).unwrap();
        assert!(thread.wait_for_end(Instant::now() + LATE));
        let (sender, steps) = channel();
        thread.wake(reporting(&sender, Next::End)).unwrap();
        assert!(steps.recv_timeout(LATE).is_ok());
    }

    #[test]
    fn without_a_thread_the_caller_gets_an_error_and_the_next_call_keeps_the_deadline() {
        let thread = SleepingThread::new("tgp-test", Priority::Low);
        let (sender, steps) = channel();
        let refused = spawn_failure::during("tgp-test", || thread.wake(reporting(&sender, Next::End)));
        assert_eq!(refused, Err(WakeError::NoThread));
        assert!(!thread.is_running());
        thread.wake_by(Instant::now() + LATE, reporting(&sender, Next::End)).unwrap();
        assert!(steps.recv_timeout(LATE).is_ok());
    }
}
