//! Conversion of a thrown value to the end of a run, within the guest's realm and limits.

use super::realm::Realm;
use crate::engine::memory::MemoryBudget;
use crate::run_end::{GuestError, RunEnd};
use serde::Deserialize;

/// The result of `describe` in the bootstrap scripts.
#[derive(Deserialize)]
struct Description {
    name: String,
    message: String,
    stack: String,
    host_code: Option<String>,
}

/// V8's message for a refused buffer.
pub const BUFFER_REFUSED: &str = "Array buffer allocation failed";

/// The end of a run that threw `error`.
pub fn thrown_end(
    scope: &mut v8::PinScope<'_, '_>,
    realm: &Realm,
    budget: &MemoryBudget,
    error: v8::Local<'_, v8::Value>,
) -> RunEnd {
    let error = describe(scope, realm, error).unwrap_or_else(|| GuestError {
        message: "the tool threw a value that cannot be read".to_owned(),
        ..GuestError::default()
    });
    if error.name == "RangeError" && error.message == BUFFER_REFUSED && budget.take_refusal() {
        return RunEnd::OutOfMemory;
    }
    RunEnd::Thrown(error)
}

fn describe(scope: &mut v8::PinScope<'_, '_>, realm: &Realm, error: v8::Local<'_, v8::Value>) -> Option<GuestError> {
    v8::tc_scope!(let scope, scope);
    let describe = v8::Local::new(scope, &realm.describe);
    let receiver = v8::undefined(scope);
    let text = describe.call(scope, receiver.into(), &[error])?.to_rust_string_lossy(scope);
    let description: Description = serde_json::from_str(&text).ok()?;
    Some(GuestError {
        name: description.name,
        message: description.message,
        stack: description.stack,
        host_code: description.host_code,
    })
}
