//! The stack of a guest that reached a time limit.

use crate::engine::control::EngineControl;
use crate::engine::natives::guarded;
use crate::engine::run::RunState;
use std::ffi::c_void;
use std::fmt::Write;

/// Most frames that are reported; a loop is near the top.
const FRAMES: usize = 10;
/// Longest function name that is reported. A guest can define names of any length.
const MAX_NAME: usize = 256;

/// Records the guest's stack and terminates the guest. V8 calls it on the guest's thread at the next interrupt check after
/// `request_interrupt`. Does nothing if the run has ended meanwhile, or ends for another reason.
pub unsafe extern "C" fn note_stack(isolate: v8::UnsafeRawIsolatePtr, data: *mut c_void) {
    // SAFETY: `data` is the engine's control, which outlives the isolate: the engine's thread holds both.
    let control = unsafe { &*data.cast::<EngineControl>() };
    if !control.wants_stack() {
        return;
    }
    // SAFETY: V8 passes the isolate that was interrupted, on its own thread.
    let mut isolate = unsafe { v8::Isolate::from_raw_isolate_ptr(isolate) };
    let context = isolate.get_slot::<RunState>().map(|state| state.context.clone());
    if let Some(context) = context {
        v8::scope!(let scope, &mut isolate);
        let context = v8::Local::new(scope, context);
        let scope = &mut v8::ContextScope::new(scope, context);
        guarded(scope, |scope| control.keep_stack(read_stack(scope)));
    }
    isolate.terminate_execution();
}

/// The current stack in the format of V8's errors.
fn read_stack(scope: &mut v8::PinScope<'_, '_>) -> String {
    let mut text = String::new();
    let Some(stack) = v8::StackTrace::current_stack_trace(scope, FRAMES) else { return text };
    for index in 0..stack.get_frame_count() {
        let Some(frame) = stack.get_frame(scope, index) else { break };
        let Some(script) = frame.get_script_name(scope) else { continue };
        let script = script.to_rust_string_lossy(scope);
        let place = format!("{script}:{}:{}", frame.get_line_number(), frame.get_column());
        let name = frame.get_function_name(scope).filter(|name| name.length() <= MAX_NAME);
        let name = name.map(|name| name.to_rust_string_lossy(scope)).unwrap_or_default();
        let _infallible = match name.as_str() {
            "" => writeln!(text, "    at {place}"),
            name => writeln!(text, "    at {name} ({place})"),
        };
    }
    text
}
