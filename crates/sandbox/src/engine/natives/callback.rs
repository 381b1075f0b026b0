//! Helpers of native functions. Each runs inside [`guarded`], because a panic that crosses V8's frames aborts the process.

use std::panic::{AssertUnwindSafe, catch_unwind};

pub type Arguments<'s> = v8::FunctionCallbackArguments<'s>;
pub type Returned<'s> = v8::ReturnValue<'s, v8::Value>;

/// Runs the body of a callback; a panic in it ends the run instead of the process.
pub fn guarded(scope: &mut v8::PinScope<'_, '_>, body: impl FnOnce(&mut v8::PinScope<'_, '_>)) {
    if catch_unwind(AssertUnwindSafe(|| body(scope))).is_err() {
        scope.terminate_execution();
    }
}

/// Throws a plain `Error` in the guest.
pub fn throw(scope: &mut v8::PinScope<'_, '_>, message: &str) {
    if let Some(message) = v8::String::new(scope, message) {
        let error = v8::Exception::error(scope, message);
        scope.throw_exception(error);
    }
}

/// Returns text to the guest; throws if it is too long for V8.
pub fn give_text(scope: &mut v8::PinScope<'_, '_>, returned: &mut Returned<'_>, text: &str) {
    match v8::String::new(scope, text) {
        Some(text) => returned.set(text.into()),
        None => throw(scope, "Invalid string length"),
    }
}
