//! State of the current run, shared between the engine's thread, its watchdog and the threads that send commands.

use super::activity_meter::ActivityMeter;
use super::cause::Cause;
use super::cpu_account::{CpuAccount, Work};
use super::process_exit::StuckPolicy;
use super::thread_clock::ThreadClock;
use crate::engine::memory::MemoryBudget;
use crate::limits::RunLimits;
use crate::message::{Event, Fitness};
use crate::run_end::{RunEnd, RunStats, cut_stack};
use parking_lot::{Condvar, Mutex};
use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};
use tgp_base::ids::RunId;

/// Receiver of an engine's events. It must not block for long.
pub type EventSink = Arc<dyn Fn(Event) + Send + Sync>;

/// What V8 calls on the guest's thread after an interrupt was requested.
pub type InterruptCallback = unsafe extern "C" fn(v8::UnsafeRawIsolatePtr, *mut c_void);

/// The current run.
#[derive(Debug)]
pub(super) struct Current {
    pub(super) run: RunId,
    pub(super) limits: RunLimits,
    pub(super) started: Instant,
    pub(super) cpu: CpuAccount,
    pub(super) interrupted: Option<(Cause, Instant)>,
    stack: String,
    budget: Arc<MemoryBudget>,
}

/// An isolate that other threads may interrupt.
struct Interruptible {
    isolate: v8::IsolateHandle,
    /// Records the guest's stack and terminates the guest. Its argument is the engine's control.
    capture_stack: InterruptCallback,
}

/// Shared by the engine's thread, its watchdog and the threads that send it commands.
pub struct EngineControl {
    events: EventSink,
    pub(super) stuck: StuckPolicy,
    pub(super) current: Mutex<Option<Current>>,
    pub(super) changed: Condvar,
    pub(super) asleep: AtomicBool,
    pub(super) closed: AtomicBool,
    pub(super) clock: Mutex<Option<ThreadClock>>,
    isolate: Mutex<Option<Interruptible>>,
    host_calls: AtomicU32,
    /// A run that was cancelled before the engine started it. Only accessed while `current` is locked.
    cancelled_early: Mutex<Option<RunId>>,
    /// Whether the start of the current run is still to be reported. Locked while the report is sent, so that no other event of
    /// the run overtakes it.
    start_unreported: Mutex<bool>,
    activity: Mutex<ActivityMeter>,
}

impl EngineControl {
    pub fn new(events: EventSink, stuck: StuckPolicy) -> Arc<Self> {
        Arc::new(Self {
            events,
            stuck,
            current: Mutex::new(None),
            changed: Condvar::new(),
            asleep: AtomicBool::new(false),
            closed: AtomicBool::new(false),
            clock: Mutex::new(None),
            isolate: Mutex::new(None),
            host_calls: AtomicU32::new(0),
            cancelled_early: Mutex::new(None),
            start_unreported: Mutex::new(false),
            activity: Mutex::new(ActivityMeter::new(Instant::now())),
        })
    }

    /// Cancels `run` if it is the current one, or as soon as it becomes the current one.
    pub fn cancel(&self, run: RunId) {
        let mut current = self.current.lock();
        match current.as_mut() {
            Some(current) if current.run == run => self.interrupt_current(current, Cause::Cancelled),
            Some(_) | None => *self.cancelled_early.lock() = Some(run),
        }
    }

    /// Cancels the current run.
    pub fn stop(&self) {
        self.interrupt(Cause::Cancelled);
    }

    /// Sends an event to the host.
    pub(in crate::engine) fn emit(&self, event: Event) {
        (self.events)(event);
    }

    /// Sets the isolate to interrupt and the CPU clock of its thread. `capture_stack` is called with this control on the
    /// guest's thread when the guest reaches a time limit.
    pub(in crate::engine) fn attach(
        &self,
        isolate: v8::IsolateHandle,
        capture_stack: InterruptCallback,
        clock: Option<ThreadClock>,
    ) {
        *self.isolate.lock() = Some(Interruptible { isolate, capture_stack });
        *self.clock.lock() = clock;
    }

    /// Sends an event of the guest, after the report that the run has started.
    pub(in crate::engine) fn emit_of(&self, run: RunId, event: Event) {
        self.report_start(run);
        self.emit(event);
    }

    /// Reports that `run` has started, unless that was reported before.
    pub(super) fn report_start(&self, run: RunId) {
        let mut start_unreported = self.start_unreported.lock();
        if std::mem::take(&mut *start_unreported) {
            self.emit(Event::Started { run });
        }
    }

    /// Waits with `wait` for an event that wakes the guest. The wait is not charged to the guest.
    pub(in crate::engine) fn rest<T>(&self, wait: impl FnOnce() -> T) -> T {
        self.activity.lock().begin(Instant::now());
        let event = self.uncounted(wait);
        self.activity.lock().end(Instant::now());
        event
    }

    /// Reports that the guest of `run` mostly waits, or works again. The caller, the watchdog, holds `current`, so that no
    /// report follows the end of the run.
    pub(super) fn report_activity(&self, run: RunId) {
        let change = self.activity.lock().look(Instant::now());
        if let Some(activity) = change {
            self.emit_of(run, Event::Activity { run, activity });
        }
    }

    pub(in crate::engine) fn count_host_call(&self) {
        self.host_calls.fetch_add(1, Ordering::Relaxed);
    }

    /// Makes `run` the current run and wakes the watchdog if it sleeps.
    pub(in crate::engine) fn begin(&self, run: RunId, limits: RunLimits, budget: Arc<MemoryBudget>) {
        self.host_calls.store(0, Ordering::Relaxed);
        *self.start_unreported.lock() = true;
        *self.activity.lock() = ActivityMeter::new(Instant::now());
        let cpu = CpuAccount::new(self.cpu_now());
        let mut current = self.current.lock();
        let current = current.insert(Current {
            run,
            limits,
            started: Instant::now(),
            cpu,
            interrupted: None,
            stack: String::new(),
            budget,
        });
        if *self.cancelled_early.lock() == Some(run) {
            self.interrupt_current(current, Cause::Cancelled);
        }
        if self.asleep.swap(false, Ordering::AcqRel) {
            self.changed.notify_one();
        }
    }

    /// Interrupts the current run.
    pub(in crate::engine) fn interrupt(&self, cause: Cause) {
        if let Some(current) = self.current.lock().as_mut() {
            self.interrupt_current(current, cause);
        }
    }

    pub(super) fn interrupt_current(&self, current: &mut Current, cause: Cause) {
        let first = current.interrupted.is_none();
        if first {
            current.interrupted = Some((cause, Instant::now()));
        }
        let isolate = self.isolate.lock();
        let Some(Interruptible { isolate, capture_stack }) = isolate.as_ref() else { return };
        if first && cause.is_timeout() {
            // The guest captures its stack and terminates itself; if it does not, the watchdog terminates it.
            let data = std::ptr::from_ref(self).cast_mut().cast::<c_void>();
            isolate.request_interrupt(*capture_stack, data);
        } else {
            isolate.terminate_execution();
        }
    }

    /// Whether the guest reached a time limit and its stack is not captured yet.
    pub(in crate::engine) fn wants_stack(&self) -> bool {
        self.current.lock().as_ref().is_some_and(|current| {
            current.interrupted.is_some_and(|(cause, _)| cause.is_timeout()) && current.stack.is_empty()
        })
    }

    pub(in crate::engine) fn keep_stack(&self, stack: String) {
        if let Some(current) = self.current.lock().as_mut() {
            current.stack = cut_stack(stack);
        }
    }

    /// Does `work` for the host on the guest's thread; its CPU time is not charged to the guest.
    pub(in crate::engine) fn uncounted<T>(&self, work: impl FnOnce() -> T) -> T {
        let before = self.cpu_now();
        let result = work();
        let spent = self.cpu_now().saturating_sub(before);
        if let Some(current) = self.current.lock().as_mut() {
            current.cpu.exclude(spent);
        }
        result
    }

    /// Charges the guest's CPU time to `work` from here on. Returns the time charged to package loads so far.
    pub(in crate::engine) fn charge_to(&self, work: Work) -> Duration {
        let now = self.cpu_now();
        self.current.lock().as_mut().map_or(Duration::ZERO, |current| {
            current.cpu.charge_to(work, now);
            current.cpu.charged(Work::PackageLoad, now)
        })
    }

    /// Allows the tool that much more CPU time, for calls of packages.
    pub(in crate::engine) fn grant(&self, time: Duration) {
        if let Some(current) = self.current.lock().as_mut() {
            current.cpu.grant(time);
        }
    }

    /// Why the current run was interrupted, if it was.
    pub(in crate::engine) fn cause(&self) -> Option<Cause> {
        self.current.lock().as_ref().and_then(|current| current.interrupted.map(|(cause, _)| cause))
    }

    /// Whether [`Self::end_run`] can take the lock: no thread holds the current run for long.
    #[cfg(target_os = "linux")]
    pub(super) fn can_end_run(&self) -> bool {
        const MOMENT: Duration = Duration::from_millis(50);
        self.current.try_lock_for(MOMENT).is_some()
    }

    /// The wall-clock deadline of the current run.
    pub(in crate::engine) fn wall_deadline(&self) -> Option<Instant> {
        self.current.lock().as_ref().and_then(|current| current.started.checked_add(current.limits.wall))
    }

    /// Ends the run and reports it, once: a second call does nothing. An interruption takes precedence over `end`.
    /// `fitness` is called after the run's CPU account is closed, so its time is not charged to the guest.
    pub(in crate::engine) fn end_run(&self, end: RunEnd, fitness: impl FnOnce() -> Fitness) -> Fitness {
        let Some(current) = self.current.lock().take() else { return Fitness::Spent };
        *self.start_unreported.lock() = false;
        let now = self.cpu_now();
        let spent_ms = |work| current.cpu.spent(work, now).as_secs_f64() * 1e3;
        let stats = RunStats {
            cpu_ms: spent_ms(Work::Tool),
            package_load_ms: spent_ms(Work::PackageLoad),
            wall_ms: current.started.elapsed().as_secs_f64() * 1e3,
            queue_ms: 0.0,
            heap_peak_bytes: current.budget.peak(),
            host_calls: self.host_calls.load(Ordering::Relaxed),
        };
        let (end, fitness) = match current.interrupted {
            Some((cause, _)) => (cause.into(), Fitness::Spent),
            None => (end.cut(), fitness()),
        };
        self.emit(Event::Done { run: current.run, end, stats, stack: current.stack, fitness });
        fitness
    }

    /// Stops the watchdog.
    pub(in crate::engine) fn close(&self) {
        {
            // Without the lock the watchdog could read the flag before this, and start to wait after the notification.
            let _current = self.current.lock();
            self.closed.store(true, Ordering::Release);
        }
        *self.isolate.lock() = None;
        self.changed.notify_one();
    }

    pub(super) fn cpu_now(&self) -> Duration {
        self.clock.lock().and_then(ThreadClock::now).unwrap_or_default()
    }
}
