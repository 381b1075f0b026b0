//! The watchdog: one thread per engine that enforces the CPU and wall limits of a run.
//!
//! While runs follow each other it ticks by itself, so that the engine needs no system call to arm it.

use super::cause::Cause;
use super::cpu_account::Work;
use super::engine_control::{Current, EngineControl};
use super::inbox::Inbox;
use super::process_exit::{StuckPolicy, exit_now};
use crate::crash_cause::EXIT_STUCK;
use crate::message::Fitness;
use crate::run_end::RunEnd;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an interrupted guest may take to end before it counts as stuck.
const TERMINATION_TIMEOUT: Duration = Duration::from_millis(250);
/// How long the stack capture of a guest at its time limit may take before the guest is terminated without it.
const STACK_CAPTURE_TIMEOUT: Duration = Duration::from_millis(100);
/// Longest time between two checks of a run.
const TICK: Duration = Duration::from_millis(10);
/// Shortest sleep, so that the last microseconds of a budget are not spent on checks.
const MIN_SLEEP: Duration = Duration::from_micros(200);
/// Ticks without a run before the watchdog sleeps until it is woken.
const IDLE_TICKS: u32 = 50;

/// What the watchdog does after a check.
enum Action {
    Wait(Duration),
    Stuck,
}

/// Runs until the engine is closed or stuck.
pub fn watch(control: &Arc<EngineControl>, inbox: &dyn Inbox) {
    let mut idle = 0;
    let mut current = control.current.lock();
    while !control.closed.load(Ordering::Acquire) {
        if current.is_some() {
            MutexGuard::unlocked(&mut current, || inbox.look());
        }
        match current.as_mut() {
            None if idle < IDLE_TICKS => {
                idle += 1;
                control.changed.wait_for(&mut current, TICK);
            }
            None => {
                control.asleep.store(true, Ordering::Release);
                control.changed.wait(&mut current);
                idle = 0;
            }
            Some(running) => {
                idle = 0;
                match check(control, running) {
                    Action::Wait(time) => {
                        control.changed.wait_for(&mut current, time);
                    }
                    Action::Stuck => return give_up(control, current),
                }
            }
        }
    }
}

fn check(control: &EngineControl, running: &mut Current) -> Action {
    if let Some((cause, since)) = running.interrupted {
        let waited = since.elapsed();
        if waited >= TERMINATION_TIMEOUT {
            return Action::Stuck;
        }
        if waited < STACK_CAPTURE_TIMEOUT {
            return Action::Wait(STACK_CAPTURE_TIMEOUT.saturating_sub(waited));
        }
        control.interrupt_current(running, cause);
        return Action::Wait(TERMINATION_TIMEOUT.saturating_sub(waited));
    }
    if running.started.elapsed() >= TICK {
        control.report_start(running.run);
    }
    control.report_activity(running.run);
    let (work, cpu) = running.cpu.look(control.cpu_now());
    let (limit, cause) = match work {
        Work::Tool => (running.limits.cpu, Cause::Cpu),
        Work::PackageLoad => (running.limits.package_load, Cause::PackageLoad),
    };
    let cpu_left = limit.saturating_sub(cpu);
    let wall_left = running.limits.wall.saturating_sub(Instant::now().duration_since(running.started));
    if cpu_left.is_zero() {
        control.interrupt_current(running, cause);
        return Action::Wait(STACK_CAPTURE_TIMEOUT);
    }
    if wall_left.is_zero() {
        control.interrupt_current(running, Cause::Wall);
        return Action::Wait(STACK_CAPTURE_TIMEOUT);
    }
    Action::Wait(cpu_left.min(wall_left).clamp(MIN_SLEEP, TICK))
}

fn give_up(control: &EngineControl, current: MutexGuard<'_, Option<Current>>) {
    drop(current);
    control.end_run(RunEnd::CpuTimeout, || Fitness::Spent);
    match control.stuck {
        StuckPolicy::ExitProcess => exit_now(EXIT_STUCK),
        StuckPolicy::Abandon => {}
    }
}
