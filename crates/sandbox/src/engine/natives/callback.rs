//! What every native function is made of. Each runs behind [`guarded`]: a panic that crossed V8's frames would abort the
//! process.

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

/// Hands text to the guest; nothing when V8 cannot hold it.
pub fn give_text(scope: &mut v8::PinScope<'_, '_>, returned: &mut Returned<'_>, text: &str) {
    match v8::String::new(scope, text) {
        Some(text) => returned.set(text.into()),
        None => throw(scope, "Invalid string length"),
    }
}
