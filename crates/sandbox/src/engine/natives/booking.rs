//! Accounting of copies of guest text in native functions: they are outside V8's heap, so they are booked in the run's memory
//! budget while they exist.

use crate::engine::memory::MemoryBudget;
use crate::engine::run::BUFFER_REFUSED;
use crate::engine::run::RunState;
use std::sync::Arc;

/// Smaller copies are not booked.
const MIN_BOOKED_BYTES: usize = 64 << 10;
/// Reading the beginning of a string may take this fraction (1/n) of a run's memory at most.
const MAX_SHARE: u64 = 4;
/// Most bytes per character in UTF-8, for strings that V8 stores with one byte and with two bytes per character.
const MAX_LATIN_BYTES: usize = 2;
const MAX_WIDE_BYTES: usize = 3;

/// Bytes booked in the run's budget; released on drop.
pub struct Booking(Option<(Arc<MemoryBudget>, u64)>);

impl Drop for Booking {
    fn drop(&mut self) {
        if let Some((budget, bytes)) = &self.0 {
            budget.release_buffer(*bytes);
        }
    }
}

/// Books memory. `None` if the run has no room for it; then the error of a refused buffer is pending.
pub fn book(scope: &mut v8::PinScope<'_, '_>, bytes: usize) -> Option<Booking> {
    if bytes < MIN_BOOKED_BYTES {
        return Some(Booking(None));
    }
    let budget = scope.get_slot::<RunState>().map(|state| Arc::clone(&state.budget))?;
    let bytes = bytes as u64;
    if budget.take_buffer(bytes) || (bytes <= budget.limit() && take_after_collection(scope, &budget, bytes)) {
        return Some(Booking(Some((budget, bytes))));
    }
    if let Some(message) = v8::String::new(scope, BUFFER_REFUSED) {
        let error = v8::Exception::range_error(scope, message);
        scope.throw_exception(error);
    }
    None
}

/// Tries again after a collection, as V8 does for a refused buffer. The collection updates the budget.
fn take_after_collection(scope: &mut v8::PinScope<'_, '_>, budget: &MemoryBudget, bytes: u64) -> bool {
    scope.low_memory_notification();
    budget.take_buffer(bytes)
}

/// A copy of the guest's string, with memory booked for `copies` of it. A value that is not a string reads as empty, without
/// conversion, so no guest code runs. `None` if an exception is pending.
pub fn copy_text(
    scope: &mut v8::PinScope<'_, '_>,
    value: v8::Local<'_, v8::Value>,
    copies: usize,
) -> Option<(String, Booking)> {
    let Ok(text) = v8::Local::<'_, v8::String>::try_from(value) else { return Some((String::new(), Booking(None))) };
    let booking = book(scope, max_bytes(text).saturating_mul(copies))?;
    Some((text.to_rust_string_lossy(scope), booking))
}

/// The first `most` characters of a string. V8 must flatten a string to read it, which takes as much memory as the string; for
/// one that is too large the result is a placeholder with its length.
pub fn beginning(scope: &mut v8::PinScope<'_, '_>, text: v8::Local<'_, v8::String>, most: usize) -> String {
    let length = text.length();
    if length > most && !is_affordable(scope, text) {
        return format!("[text of {length} characters]");
    }
    let mut characters = vec![0_u16; length.min(most)];
    text.write_v2(scope, 0, &mut characters, v8::WriteFlags::empty());
    String::from_utf16_lossy(&characters)
}

/// Whether V8 may flatten a string.
fn is_affordable(scope: &mut v8::PinScope<'_, '_>, text: v8::Local<'_, v8::String>) -> bool {
    let bytes = text.length().saturating_mul(if text.is_onebyte() { 1 } else { 2 }) as u64;
    let budget = scope.get_slot::<RunState>().map(|state| &state.budget);
    budget.is_some_and(|budget| bytes <= budget.limit() / MAX_SHARE && budget.has_room(bytes))
}

/// Largest size of a copy of a string.
pub fn max_bytes(text: v8::Local<'_, v8::String>) -> usize {
    text.length().saturating_mul(if text.is_onebyte() { MAX_LATIN_BYTES } else { MAX_WIDE_BYTES })
}
