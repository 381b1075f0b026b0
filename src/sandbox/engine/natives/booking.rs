//! What native functions copy of a guest's text is outside V8's heap: it is booked in the run's account while it is there.

use crate::sandbox::engine::memory::MemoryBudget;
use crate::sandbox::engine::run::BUFFER_REFUSED;
use crate::sandbox::engine::run::RunState;
use std::sync::Arc;

/// Less is not worth an entry.
const MIN_BOOKED_BYTES: usize = 64 << 10;
/// Most bytes that a character of a text takes in Rust, by how V8 keeps the text: in one byte each, or in two.
const MAX_LATIN_BYTES: usize = 2;
const MAX_WIDE_BYTES: usize = 3;

/// An entry in the run's account, for as long as it lives.
pub struct Booking(Option<(Arc<MemoryBudget>, u64)>);

impl Drop for Booking {
    fn drop(&mut self) {
        if let Some((budget, bytes)) = &self.0 {
            budget.release_buffer(*bytes);
        }
    }
}

/// Books memory. `None` when the run has no room for it: then the error of a buffer that was refused is pending.
pub fn book(scope: &mut v8::PinScope<'_, '_>, bytes: usize) -> Option<Booking> {
    if bytes < MIN_BOOKED_BYTES {
        return Some(Booking(None));
    }
    let budget = scope.get_slot::<RunState>().map(|state| Arc::clone(&state.budget))?;
    if budget.take_buffer(bytes as u64) {
        return Some(Booking(Some((budget, bytes as u64))));
    }
    if let Some(message) = v8::String::new(scope, BUFFER_REFUSED) {
        let error = v8::Exception::range_error(scope, message);
        scope.throw_exception(error);
    }
    None
}

/// A copy of the guest's text, and room for `copies` of it in all. Nothing is asked of a value that is no text, so no code
/// of the guest runs; it reads as empty. `None` when an exception is pending.
pub fn copy_text(
    scope: &mut v8::PinScope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
    copies: usize,
) -> Option<(String, Booking)> {
    let Ok(text) = v8::Local::<'_, v8::String>::try_from(value) else { return Some((String::new(), Booking(None))) };
    let booking = book(scope, max_bytes(text).saturating_mul(copies))?;
    Some((text.to_rust_string_lossy(scope), booking))
}

/// What a copy of a text takes at most.
pub fn max_bytes(text: v8::Local<'_, v8::String>) -> usize {
    text.length().saturating_mul(if text.is_onebyte() { MAX_LATIN_BYTES } else { MAX_WIDE_BYTES })
}
