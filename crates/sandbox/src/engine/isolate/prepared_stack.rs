//! The `stack` of an error: text of the guest's own frames, or the result of the guest's `Error.prepareStackTrace`.
//!
//! V8's own call sites would expose functions and receivers of internal frames to that hook. With this callback set, V8 does
//! not pass them on; they stay in this file. All positions are positions in the source.

use super::stack_frame::{StackFrame, guest_frames};
use crate::engine::lazy::SCRIPT_NAME;
use crate::engine::natives::{known_place, learn_places};
use crate::engine::run::{CompiledPlace, RunState};
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Longest message, in characters, that is copied out of V8.
const MAX_HEAD: usize = 16 << 10;
/// Longest message in a stack: reading the stack makes V8 flatten the string.
const MAX_STACK_HEAD: usize = 1 << 20;

/// Called by V8 when the `stack` of an error is first read, except at the end of the call stack and while another stack is being
/// prepared: then V8 writes plain text.
pub fn prepare_stack_trace<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Value>,
    sites: v8::Local<'s, v8::Array>,
) -> v8::Local<'s, v8::Value> {
    let prepared = catch_unwind(AssertUnwindSafe(|| prepare(scope, error, sites)));
    match prepared {
        Ok(Some(prepared)) => prepared,
        Ok(None) => v8::undefined(scope).into(),
        // A panic ends the run instead of the process.
        Err(_) => {
            scope.terminate_execution();
            v8::undefined(scope).into()
        }
    }
}

fn prepare<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Value>,
    sites: v8::Local<'s, v8::Array>,
) -> Option<v8::Local<'s, v8::Value>> {
    let internals = scope.get_slot::<RunState>()?.internals.clone();
    let internals = v8::Local::new(scope, internals);
    let error = without_global_object(scope, error);
    let Some(frames) = attempt(scope, |scope| guest_frames(scope, sites)) else {
        return without_calls(scope, error).map(Into::into);
    };
    learn_places(scope, frames.iter().filter_map(StackFrame::place));
    let hooked = attempt(scope, |scope| by_hook(scope, internals, error, &frames));
    hooked.or_else(|| text(scope, internals, error, &frames).map(Into::into))
}

/// Runs `work` and drops an exception that it throws; the result is `None` then. A termination is kept.
fn attempt<'s, T>(
    scope: &mut v8::PinScope<'s, '_>,
    work: impl FnOnce(&mut v8::PinScope<'s, '_>) -> Option<T>,
) -> Option<T> {
    let (done, terminated) = {
        v8::tc_scope!(let scope, scope);
        (work(scope), scope.has_terminated())
    };
    if terminated {
        scope.terminate_execution();
    }
    done
}

/// The result of the guest's hook, if there is one and it does not throw.
fn by_hook<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    internals: v8::Local<'s, v8::Object>,
    error: v8::Local<'s, v8::Value>,
    frames: &[StackFrame<'s>],
) -> Option<v8::Local<'s, v8::Value>> {
    let class: v8::Local<'_, v8::Object> = member(scope, internals, "Error")?.try_into().ok()?;
    let hook = member(scope, class, "prepareStackTrace").filter(|hook| hook.is_function())?;
    let mut shown = Vec::with_capacity(frames.len());
    for frame in frames {
        shown.extend(frame.for_hook(scope));
    }
    let frames = v8::Array::new_with_elements(scope, &shown);
    let prepare: v8::Local<'_, v8::Function> = member(scope, internals, "prepareStack")?.try_into().ok()?;
    let receiver = v8::undefined(scope);
    prepare.call(scope, receiver.into(), &[hook, error, frames.into()])
}

/// The stack as V8 writes it, built on the guest's heap, so that it counts against its memory limit.
fn text<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    internals: v8::Local<'s, v8::Object>,
    error: v8::Local<'s, v8::Value>,
    frames: &[StackFrame<'s>],
) -> Option<v8::Local<'s, v8::String>> {
    let head = attempt(scope, |scope| {
        let to_string: v8::Local<'_, v8::Function> = member(scope, internals, "errorHead")?.try_into().ok()?;
        v8::Local::<'_, v8::String>::try_from(to_string.call(scope, error, &[])?).ok()
    });
    let mut text = head.or_else(|| without_calls(scope, error))?;
    if text.length() > MAX_STACK_HEAD {
        text = v8::String::new(scope, &format!("Error: [text of {} characters]", text.length()))?;
    }
    let at = v8::String::new(scope, "\n    at ")?;
    for frame in frames {
        let line = attempt(scope, |scope| {
            let line = frame.text(scope)?;
            let line = v8::String::concat(scope, at, line)?;
            v8::String::concat(scope, text, line)
        });
        text = line.unwrap_or(text);
    }
    Some(text)
}

/// A shorter text for when the call stack is exhausted: the message and the position of the error.
fn without_calls<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Value>,
) -> Option<v8::Local<'s, v8::String>> {
    let message = v8::Exception::create_message(scope, error);
    let head = message.get(scope);
    let head = if head.length() > MAX_HEAD { String::new() } else { head.to_rust_string_lossy(scope) };
    let mut text = head.strip_prefix("Uncaught ").unwrap_or("Error").to_owned();
    let file =
        message.get_script_resource_name(scope).and_then(|file| v8::Local::<'_, v8::String>::try_from(file).ok());
    let file = file.map(|file| file.to_rust_string_lossy(scope)).filter(|file| file != SCRIPT_NAME);
    let line = message.get_line_number(scope).and_then(|line| u32::try_from(line).ok());
    let column = u32::try_from(message.get_start_column() + 1).ok();
    if let Some(((path, line), column)) = file.zip(line).zip(column) {
        let place = CompiledPlace { path, line, column };
        learn_places(scope, [&place].into_iter());
        if let Some(source) = known_place(scope, &place) {
            let _infallible = write!(text, "\n    at {}:{}:{}", place.path, source.line, source.column);
        }
    }
    v8::String::new(scope, &text)
}

/// V8 passes the global object behind the `globalThis` proxy when the stack of `globalThis` is read. Scripts must never get it.
fn without_global_object<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    error: v8::Local<'s, v8::Value>,
) -> v8::Local<'s, v8::Value> {
    let Ok(object) = v8::Local::<'_, v8::Object>::try_from(error) else { return error };
    if error.is_native_error() {
        return error;
    }
    // Only a private property distinguishes the two objects.
    let global = scope.get_current_context().global(scope);
    let mark = v8::Private::new(scope, None);
    let set = v8::undefined(scope).into();
    let marked = global.set_private(scope, mark, set).is_some() && object.has_private(scope, mark).unwrap_or(true);
    let _forgotten = global.delete_private(scope, mark);
    if marked { global.into() } else { error }
}

/// The value of a property.
pub(super) fn member<'s>(
    scope: &mut v8::PinScope<'s, '_>,
    object: v8::Local<'_, v8::Object>,
    name: &str,
) -> Option<v8::Local<'s, v8::Value>> {
    let key = v8::String::new(scope, name)?;
    object.get(scope, key.into())
}
