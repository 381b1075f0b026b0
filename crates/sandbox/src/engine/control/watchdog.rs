//! One thread per engine that holds a run to its CPU and wall limits, whatever the guest does.
//!
//! While runs follow each other it ticks by itself, so that arming it costs the engine no system call.

use super::engine_control::{Cause, Current, EngineControl};
use super::inbox::Inbox;
use super::process_exit::{EXIT_STUCK, exit_now};
use super::stuck_policy::StuckPolicy;
use crate::message::Fitness;
use crate::run_end::RunEnd;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long an interrupted guest may take to come to its end.
const GRACE: Duration = Duration::from_millis(250);
/// How long a guest whose time is up may take to tell where it is, before it is terminated without.
const STACK_TIME: Duration = Duration::from_millis(100);
/// Longest time between two looks at a run.
const TICK: Duration = Duration::from_millis(10);
/// Shortest sleep, so that the last microseconds of a budget are not spent on looking.
const MIN_SLEEP: Duration = Duration::from_micros(200);
/// Ticks without a run before the watchdog sleeps until it is woken.
const IDLE_TICKS: u32 = 50;

/// What a look at a run found.
enum Finding {
    Wait(Duration),
    Stuck,
}

/// Watches until the engine is closed, or is stuck.
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
                match look(control, running) {
                    Finding::Wait(time) => {
                        control.changed.wait_for(&mut current, time);
                    }
                    Finding::Stuck => return give_up(control, current),
                }
            }
        }
    }
}

fn look(control: &EngineControl, running: &mut Current) -> Finding {
    if let Some((cause, since)) = running.interrupted {
        let waited = since.elapsed();
        if waited >= GRACE {
            return Finding::Stuck;
        }
        if waited < STACK_TIME {
            return Finding::Wait(STACK_TIME.saturating_sub(waited));
        }
        control.interrupt_current(running, cause);
        return Finding::Wait(GRACE.saturating_sub(waited));
    }
    if running.started.elapsed() >= TICK {
        control.report_start(running.run);
    }
    control.report_rest(running.run);
    let cpu = running.cpu.look(control.cpu_now());
    let cpu_left = running.limits.cpu.saturating_sub(cpu);
    let wall_left = running.limits.wall.saturating_sub(Instant::now().duration_since(running.started));
    if cpu_left.is_zero() {
        control.interrupt_current(running, Cause::Cpu);
        return Finding::Wait(STACK_TIME);
    }
    if wall_left.is_zero() {
        control.interrupt_current(running, Cause::Wall);
        return Finding::Wait(STACK_TIME);
    }
    Finding::Wait(cpu_left.min(wall_left).clamp(MIN_SLEEP, TICK))
}

fn give_up(control: &EngineControl, current: MutexGuard<'_, Option<Current>>) {
    drop(current);
    control.settle(RunEnd::CpuTimeout, || Fitness::Spent);
    match control.stuck {
        StuckPolicy::ExitProcess => exit_now(EXIT_STUCK),
        StuckPolicy::Abandon => {}
    }
}
