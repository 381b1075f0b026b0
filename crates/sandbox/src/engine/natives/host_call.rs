//! Questions of the guest to the host: asked at once, or answered later by a promise.
//!
//! Only text crosses: the name of the question, its arguments as JSON, and the answer as the bootstrap script reads it.

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
        match ask(scope, name, arguments.get(1)) {
            Some(Asked::Call(call)) => {
                let settle = v8::Global::new(scope, settle);
                if let Some(state) = scope.get_slot_mut::<RunState>() {
                    state.waiting.insert(call, settle);
                }
            }
            Some(Asked::Refused(answer)) => tell(scope, settle, &answer),
            None => {}
        }
    });
}

/// `callSync(name, json)`: the answer; the guest's thread waits for it.
pub fn call_sync(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((name, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(answer) = ask_now(scope, name, arguments.get(1))
            && let Some(text) = answer_text(scope, &answer)
        {
            returned.set(text.into());
        }
    });
}

/// Asks and waits. `None` when the run is to end, or an exception is pending instead.
pub fn ask_now(
    scope: &mut v8::PinScope<'_, '_>,
    name: String,
    args_json: v8::Local<'_, v8::Value>,
) -> Option<HostAnswer> {
    match ask(scope, name, args_json)? {
        Asked::Refused(answer) => Some(answer),
        Asked::Call(call) => {
            let answer = wait_for(scope, call);
            if answer.is_none() {
                scope.terminate_execution();
            }
            answer
        }
    }
}

/// Asks on the engine's own behalf, and waits: the guest's limits and figures are not about that. `None` when the run is
/// to end.
pub fn ask_for_engine(scope: &mut v8::PinScope<'_, '_>, name: &str, args_json: String) -> Option<HostAnswer> {
    let call = send(scope, name.to_owned(), args_json)?;
    let answer = wait_for(scope, call);
    if answer.is_none() {
        scope.terminate_execution();
    }
    answer
}

/// Hands an answer to whoever waits for it. Answers to nothing are dropped: their run is over.
pub fn settle_call(scope: &mut v8::PinScope<'_, '_>, call: CallId, answer: &HostAnswer) {
    let settle = scope.get_slot_mut::<RunState>().and_then(|state| state.waiting.remove(&call));
    if let Some(settle) = settle {
        let settle = v8::Local::new(scope, settle);
        tell(scope, settle, answer);
    }
}

fn tell(scope: &mut v8::PinScope<'_, '_>, settle: v8::Local<'_, v8::Function>, answer: &HostAnswer) {
    if let Some(text) = answer_text(scope, answer) {
        v8::tc_scope!(let scope, scope);
        let receiver = v8::undefined(scope);
        // It only settles a promise; a termination is seen by the event loop.
        let _settled = settle.call(scope, receiver.into(), &[text.into()]);
    }
}

/// What became of a question.
enum Asked {
    Call(CallId),
    Refused(HostAnswer),
}

/// Sends a question to the host, unless a limit forbids it. `None` when an exception is pending instead.
fn ask(scope: &mut v8::PinScope<'_, '_>, name: String, args_json: v8::Local<'_, v8::Value>) -> Option<Asked> {
    let bytes = v8::Local::<'_, v8::String>::try_from(args_json).map_or(0, |text| least_bytes(scope, text));
    let Some(state) = scope.get_slot::<RunState>() else {
        throw(scope, "the run is over");
        return None;
    };
    if let Some(refusal) = refusal(state, &name, bytes) {
        return Some(Asked::Refused(refusal));
    }
    let (args_json, _booked) = copy_text(scope, args_json, 1)?;
    scope.get_slot::<RunState>()?.control.count_host_call();
    send(scope, name, args_json).map(Asked::Call)
}

/// How many bytes a text has; for one with more characters than are allowed, that number will do. To count bytes V8 puts
/// the text together.
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

/// Why a question may not be asked.
fn refusal(state: &RunState, name: &str, bytes: usize) -> Option<HostAnswer> {
    let name = name.trim_start_matches('#');
    let (code, message) = if state.waiting.len() >= state.limits.host_calls as usize {
        let most = state.limits.host_calls;
        let message = format!(
            "tgp.{name} was refused: {most} calls wait for an answer already (sandbox.hostCalls). Await some of them first."
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

/// Waits for one answer while others arrive. `None` when the run is to end instead.
fn wait_for(scope: &mut v8::PinScope<'_, '_>, wanted: CallId) -> Option<HostAnswer> {
    loop {
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
                    return Some(answer);
                }
                settle_call(scope, call, &answer);
            }
            Command::Cancel { run: of } if of == run => return None,
            Command::HostReply { .. }
            | Command::Cancel { .. }
            | Command::Run(_)
            | Command::Keep(_)
            | Command::Forget(_)
            | Command::Compile { .. } => {}
        }
    }
}

/// An answer as the bootstrap script reads it.
pub fn answer_text<'s>(scope: &mut v8::PinScope<'s, '_>, answer: &HostAnswer) -> Option<v8::Local<'s, v8::String>> {
    match answer {
        HostAnswer::Value(json) => v8::String::new(scope, &format!("={json}")),
        HostAnswer::Fault { code, message } => v8::String::new(scope, &format!("!{code}\n{message}")),
    }
}
