//! The event loop of one run, from its first line to its result.

use crate::crash_cause::CrashCause;
use crate::engine::control::Inbox;
use crate::engine::control::{Cause, EngineControl};
use crate::engine::isolate::GuestIsolate;
use crate::engine::memory::MemoryBudget;
use crate::engine::natives::{settle_call, warn_of_unawaited};
use crate::engine::run::Realm;
use crate::engine::run::RunState;
use crate::engine::run::thrown_end;
use crate::engine::run::{CodeCache, CountedCode};
use crate::message::{COVERAGE_QUESTION, Command, Coverage, Event, RunCommand};
use crate::run_end::RunEnd;
use crossbeam_channel::RecvTimeoutError;
use std::sync::Arc;
use std::time::Instant;
use tgp_base::ids::RunId;

/// The result of one turn of the loop.
enum Step {
    Ended(RunEnd),
    Continue,
}

/// Runs `command` in `realm` until it ends, by itself or by interruption.
pub fn run(
    isolate: &mut GuestIsolate,
    realm: &Realm,
    command: &RunCommand,
    control: &Arc<EngineControl>,
    inbox: &Arc<dyn Inbox>,
    cache: &mut CodeCache,
) -> RunEnd {
    let budget = Arc::clone(isolate.budget());
    let mut state = RunState::new(command, realm, Arc::clone(control), Arc::clone(inbox), Arc::clone(&budget));
    let counted = (command.coverage == Coverage::Blocks).then(|| {
        // Bytecode compiled without counters must not be reused.
        cache.forget_bytecode();
        CountedCode::begin(&mut isolate.v8)
    });
    state.cache = std::mem::take(cache);
    isolate.v8.set_slot(state);
    let end = drive(isolate, realm, command, control, &**inbox, &budget, counted.as_ref());
    if let Some(state) = isolate.v8.remove_slot::<RunState>() {
        *cache = state.cache;
    }
    end
}

fn drive(
    isolate: &mut GuestIsolate,
    realm: &Realm,
    command: &RunCommand,
    control: &EngineControl,
    inbox: &dyn Inbox,
    budget: &MemoryBudget,
    counted: Option<&CountedCode>,
) -> RunEnd {
    v8::scope!(let scope, &mut isolate.v8);
    let context = v8::Local::new(scope, &realm.context);
    let scope = &mut v8::ContextScope::new(scope, context);
    let Some(counted) = counted else { return turns(scope, realm, command, control, inbox, budget) };
    counted.watch(context);
    let end = turns(scope, realm, command, control, inbox, budget);
    let scripts = counted.end(context, |path| command.modules.iter().any(|module| module.path == path));
    if let Ok(args_json) = serde_json::to_string(&scripts)
        && let Some(call) = scope.get_slot_mut::<RunState>().map(RunState::next_call)
    {
        let (run, name) = (command.run, COVERAGE_QUESTION.to_owned());
        control.emit_of(run, Event::HostCall { run, call, name, args_json });
    }
    end
}

/// All turns of the run. The context of asynchronous calls belongs to the isolate, and must not reach the next run.
fn turns(
    scope: &mut v8::PinScope<'_, '_>,
    realm: &Realm,
    command: &RunCommand,
    control: &EngineControl,
    inbox: &dyn Inbox,
    budget: &MemoryBudget,
) -> RunEnd {
    let end = turn(scope, realm, command, control, inbox, budget);
    let none = v8::undefined(scope);
    scope.set_continuation_preserved_embedder_data(none.into());
    end
}

fn turn(
    scope: &mut v8::PinScope<'_, '_>,
    realm: &Realm,
    command: &RunCommand,
    control: &EngineControl,
    inbox: &dyn Inbox,
    budget: &MemoryBudget,
) -> RunEnd {
    let Some(promise) = start(scope, realm, command) else {
        return interrupted(control);
    };
    loop {
        realm.microtasks.perform_checkpoint(scope);
        if scope.is_execution_terminating() || control.cause().is_some() {
            return interrupted(control);
        }
        match promise.state() {
            v8::PromiseState::Fulfilled => {
                // Host calls that the guest did not await are ended by the host.
                if let Some(end) = unhandled_end(scope, realm, budget) {
                    return end;
                }
                warn_of_unawaited(scope);
                let value = promise.result(scope);
                return value_end(scope, value, command.limits.result_bytes);
            }
            v8::PromiseState::Rejected => {
                let error = promise.result(scope);
                return thrown_end(scope, realm, budget, error);
            }
            v8::PromiseState::Pending => {}
        }
        // Handles of one turn are released with it, and not at the end of the run.
        v8::scope!(let scope, scope);
        if let Step::Ended(end) = wait(scope, realm, command.run, control, inbox, budget) {
            return end;
        }
    }
}

/// The promise of the run's result.
fn start<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    realm: &Realm,
    command: &RunCommand,
) -> Option<v8::Local<'s, v8::Promise>> {
    let entry = v8::String::new(scope, &command.entry)?;
    let args = v8::String::new(scope, &command.args_json)?;
    let seed = optional(scope, command.seed.map(|seed| seed as f64));
    let now = optional(scope, command.now.map(|now| now as f64));
    let result = v8::Integer::new_from_unsigned(scope, command.limits.result_bytes).into();
    let call = v8::Integer::new_from_unsigned(scope, command.limits.call_bytes).into();
    let api = v8::Array::new(scope, 0);
    for (index, name) in (0..).zip(command.api.iter()) {
        let name = v8::String::new(scope, name)?;
        api.set_index(scope, index, name.into())?;
    }
    let start = v8::Local::new(scope, &realm.start);
    let receiver = v8::undefined(scope);
    let started =
        start.call(scope, receiver.into(), &[entry.into(), args.into(), api.into(), seed, now, result, call])?;
    started.try_into().ok()
}

fn optional<'s>(scope: &mut v8::PinScope<'s, '_>, value: Option<f64>) -> v8::Local<'s, v8::Value> {
    match value {
        Some(value) => v8::Number::new(scope, value).into(),
        None => v8::undefined(scope).into(),
    }
}

fn value_end(scope: &mut v8::PinScope<'_, '_>, value: v8::Local<'_, v8::Value>, limit: u32) -> RunEnd {
    if let Some(message) = scope.get_slot_mut::<RunState>().and_then(|state| state.refusal.take()) {
        return RunEnd::BadResult(message);
    }
    let Ok(text) = v8::Local::<'_, v8::String>::try_from(value) else {
        return RunEnd::Crashed(CrashCause::Engine);
    };
    // Counting bytes makes V8 flatten the string; the number of characters is checked first, without that.
    if text.length() > limit as usize || text.utf8_length(scope) > limit as usize {
        return RunEnd::BadResult(format!(
            "The result is more than {limit} bytes of JSON (sandbox.resultBytes). Return less data, or a page of it."
        ));
    }
    RunEnd::Value(text.to_rust_string_lossy(scope))
}

/// The end of a run that returned a result but left a rejected promise unhandled.
fn unhandled_end(scope: &mut v8::PinScope<'_, '_>, realm: &Realm, budget: &MemoryBudget) -> Option<RunEnd> {
    let reason = scope.get_slot::<RunState>()?.rejections.first()?;
    let reason = v8::Local::new(scope, reason);
    let mut end = thrown_end(scope, realm, budget, reason);
    if let RunEnd::Thrown(error) = &mut end {
        error.message.push_str(" (in a promise that the tool did not await)");
    }
    Some(end)
}

/// Waits for the next event of the guest: an answer of the host, a timer, a cancellation or its deadline.
fn wait(
    scope: &mut v8::PinScope<'_, '_>,
    realm: &Realm,
    run: RunId,
    control: &EngineControl,
    inbox: &dyn Inbox,
    budget: &MemoryBudget,
) -> Step {
    let Some(state) = scope.get_slot_mut::<RunState>() else {
        return Step::Ended(RunEnd::Crashed(CrashCause::Engine));
    };
    let timer = state.timers.next_due();
    if timer.is_none() && state.waiting.is_empty() {
        return Step::Ended(stalled());
    }
    let Some(deadline) = control.wall_deadline() else { return Step::Ended(RunEnd::WallTimeout) };
    let until = timer.map_or(deadline, |due| due.min(deadline));
    match control.rest(|| inbox.recv_deadline(until)) {
        Ok(Command::HostReply { run: of, call, answer }) if of == run => {
            settle_call(scope, call, &answer);
            Step::Continue
        }
        Ok(Command::Cancel { run: of }) if of == run => Step::Ended(RunEnd::Cancelled),
        Ok(
            Command::HostReply { .. }
            | Command::Cancel { .. }
            | Command::Run(_)
            | Command::Keep(_)
            | Command::Forget(_)
            | Command::Compile { .. },
        ) => Step::Continue,
        Err(RecvTimeoutError::Disconnected) => Step::Ended(RunEnd::Cancelled),
        Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => {
            control.interrupt(Cause::Wall);
            Step::Ended(RunEnd::WallTimeout)
        }
        Err(RecvTimeoutError::Timeout) => fire_due(scope, realm, budget),
    }
}

/// Fires one timer that is due. An error thrown by its callback ends the run, as an uncaught error ends a program.
fn fire_due(scope: &mut v8::PinScope<'_, '_>, realm: &Realm, budget: &MemoryBudget) -> Step {
    let due = scope.get_slot_mut::<RunState>().and_then(|state| state.timers.take_due(Instant::now()));
    let Some(id) = due else { return Step::Continue };
    v8::tc_scope!(let scope, scope);
    let fire = v8::Local::new(scope, &realm.fire_timer);
    let receiver = v8::undefined(scope);
    let id = v8::Integer::new_from_unsigned(scope, id);
    if fire.call(scope, receiver.into(), &[id.into()]).is_some() || scope.has_terminated() {
        return Step::Continue;
    }
    let Some(error) = scope.exception() else { return Step::Continue };
    scope.reset();
    Step::Ended(thrown_end(scope, realm, budget, error))
}

fn stalled() -> RunEnd {
    RunEnd::Thrown(crate::run_end::GuestError {
        name: "Error".to_owned(),
        message: "the tool awaits a promise that nothing can settle; resolve it, or return a value".to_owned(),
        ..Default::default()
    })
}

/// The end of a run that V8 terminated; without a recorded cause it was a panic in one of our callbacks.
fn interrupted(control: &EngineControl) -> RunEnd {
    control.cause().map_or(RunEnd::Crashed(CrashCause::Engine), Into::into)
}
