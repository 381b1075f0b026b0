//! Host calls of the guest, synchronous or with a promise.
//!
//! Only text crosses: the name of the call, its arguments as JSON, and the answer in the format of `host.js`.

use super::booking::copy_text;
use super::callback::{Arguments, Returned, guarded, throw};
use crate::engine::control::Cause;
use crate::engine::run::RunState;
use crate::message::{Command, Event, HostAnswer};
use crossbeam_channel::RecvTimeoutError;
use tgp_base::error::ErrorCode;
use tgp_base::ids::CallId;

/// `call(name, json, settle)`: `settle` gets the answer later.
pub fn call(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(settle) = v8::Local::<'_, v8::Function>::try_from(arguments.get(2)) else { return };
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        match start_call(scope, name, arguments.get(1)) {
            Some(StartedCall::Sent(call)) => {
                let settle = v8::Global::new(scope, settle);
                if let Some(state) = scope.get_slot_mut::<RunState>() {
                    state.waiting.insert(call, settle);
                }
            }
            Some(StartedCall::Refused(answer)) => settle_promise(scope, settle, &answer),
            None => {}
        }
    });
}

/// `callSync(name, json)`: the answer; the guest's thread waits for it.
pub fn call_sync(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(answer) = call_and_wait(scope, name, arguments.get(1))
            && let Some(text) = answer_text(scope, &answer)
        {
            returned.set(text.into());
        }
    });
}

/// Makes a call and waits for its answer. `None` if the run is to end or an exception is pending.
pub fn call_and_wait(
    scope: &mut v8::PinScope<'_, '_>,
    name: String,
    args_json: v8::Local<'_, v8::Value>,
) -> Option<HostAnswer> {
    match start_call(scope, name, args_json)? {
        StartedCall::Refused(answer) => Some(answer),
        StartedCall::Sent(call) => {
            let answer = wait_for(scope, call);
            if answer.is_none() {
                scope.terminate_execution();
            }
            answer
        }
    }
}

/// Makes an internal call of the engine and waits; it does not count against the guest's limits. `None` if the run is to end.
pub fn call_for_engine(scope: &mut v8::PinScope<'_, '_>, name: &str, args_json: String) -> Option<HostAnswer> {
    let call = send(scope, name.to_owned(), args_json)?;
    let answer = wait_for(scope, call);
    if answer.is_none() {
        scope.terminate_execution();
    }
    answer
}

/// Passes an answer to the call that waits for it. Answers without such a call are dropped: their run is over.
pub fn settle_call(scope: &mut v8::PinScope<'_, '_>, call: CallId, answer: &HostAnswer) {
    let settle = scope.get_slot_mut::<RunState>().and_then(|state| state.waiting.remove(&call));
    if let Some(settle) = settle {
        let settle = v8::Local::new(scope, settle);
        settle_promise(scope, settle, answer);
    }
}

fn settle_promise(scope: &mut v8::PinScope<'_, '_>, settle: v8::Local<'_, v8::Function>, answer: &HostAnswer) {
    if let Some(text) = answer_text(scope, answer) {
        v8::tc_scope!(let scope, scope);
        let receiver = v8::undefined(scope);
        // Resolving a promise may run a getter of the guest; the event loop detects a termination.
        let _settled = settle.call(scope, receiver.into(), &[text.into()]);
    }
}

/// The result of starting a call.
enum StartedCall {
    Sent(CallId),
    Refused(HostAnswer),
}

/// Sends a call to the host, unless a limit is exceeded. `None` if an exception is pending.
fn start_call(
    scope: &mut v8::PinScope<'_, '_>,
    name: String,
    args_json: v8::Local<'_, v8::Value>,
) -> Option<StartedCall> {
    let bytes = v8::Local::<'_, v8::String>::try_from(args_json).map_or(0, |text| least_bytes(scope, text));
    let Some(state) = scope.get_slot::<RunState>() else {
        throw(scope, "the run is over");
        return None;
    };
    if let Some(refusal) = refusal(state, &name, bytes) {
        return Some(StartedCall::Refused(refusal));
    }
    let (args_json, _booked) = copy_text(scope, args_json, 1)?;
    scope.get_slot::<RunState>()?.control.count_host_call();
    send(scope, name, args_json).map(StartedCall::Sent)
}

/// The UTF-8 length of a string, or its number of characters if that exceeds the limit already: counting bytes makes V8
/// flatten the string.
fn least_bytes(scope: &mut v8::PinScope<'_, '_>, text: v8::Local<'_, v8::String>) -> usize {
    let most = scope.get_slot::<RunState>().map_or(0, |state| state.limits.call_bytes as usize);
    if text.length() > most { text.length() } else { text.utf8_length(scope) }
}

fn send(scope: &mut v8::PinScope<'_, '_>, name: String, args_json: String) -> Option<CallId> {
    let state = scope.get_slot_mut::<RunState>()?;
    let call = state.next_call();
    state.control.emit_of(state.run, Event::HostCall { run: state.run, call, name, args_json });
    Some(call)
}

/// Why a call is refused, if a limit is exceeded.
fn refusal(state: &RunState, name: &str, bytes: usize) -> Option<HostAnswer> {
    let name = name.trim_start_matches('#');
    let (code, message) = if state.waiting.len() >= state.limits.host_calls as usize {
        let most = state.limits.host_calls;
        let message = format!(
            "tgp.{name} was refused: {most} calls are already waiting for an answer (sandbox.hostCalls). Await some of them first."
        );
        (ErrorCode::Limit, message)
    } else if bytes > state.limits.call_bytes as usize {
        let most = state.limits.call_bytes;
        let message = format!(
            "The arguments of tgp.{name} are more than {most} bytes of JSON (sandbox.argsBytes). Pass less at a time."
        );
        (ErrorCode::Limit, message)
    } else {
        return None;
    };
    Some(HostAnswer::Fault { code: code.as_str().to_owned(), message })
}

/// Waits for one answer, and then settles others that arrived meanwhile: the guest's code that this may run can wait for an answer,
/// too, and would take the wanted one. `None` if the run is to end.
fn wait_for(scope: &mut v8::PinScope<'_, '_>, wanted: CallId) -> Option<HostAnswer> {
    let mut others = Vec::new();
    let answer = loop {
        let (command, run) = {
            let state = scope.get_slot::<RunState>()?;
            let received = state.control.rest(|| match state.control.wall_deadline() {
                Some(deadline) => state.inbox.recv_deadline(deadline),
                None => state.inbox.recv().ok_or(RecvTimeoutError::Disconnected),
            });
            match received {
                Ok(command) => (command, state.run),
                Err(RecvTimeoutError::Timeout) => {
                    state.control.interrupt(Cause::Wall);
                    return None;
                }
                Err(RecvTimeoutError::Disconnected) => {
                    state.control.interrupt(Cause::Cancelled);
                    return None;
                }
            }
        };
        match command {
            Command::HostReply { run: of, call, answer } if of == run => {
                if call == wanted {
                    break answer;
                }
                others.push((call, answer));
            }
            Command::Cancel { run: of } if of == run => return None,
            Command::HostReply { .. }
            | Command::Cancel { .. }
            | Command::Run(_)
            | Command::Keep(_)
            | Command::Forget(_)
            | Command::Compile { .. } => {}
        }
    };
    for (call, answer) in others {
        settle_call(scope, call, &answer);
    }
    Some(answer)
}

/// An answer in the format of `decodeAnswer` in `host.js`.
pub fn answer_text<'s>(scope: &mut v8::PinScope<'s, '_>, answer: &HostAnswer) -> Option<v8::Local<'s, v8::String>> {
    match answer {
        HostAnswer::Value(json) => v8::String::new(scope, &format!("={json}")),
        HostAnswer::Fault { code, message } => v8::String::new(scope, &format!("!{code}\n{message}")),
    }
}
