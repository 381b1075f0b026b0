//! What native functions copy of a guest's text is outside V8's heap: it is booked in the run's account while it is there.

use crate::engine::memory::MemoryBudget;
use crate::engine::run::BUFFER_REFUSED;
use crate::engine::run::RunState;
use std::sync::Arc;

/// Less is not worth an entry.
const MIN_BOOKED_BYTES: usize = 64 << 10;
/// No more than this part of a run's memory is taken to look at the beginning of a text.
const LARGEST_SHARE: u64 = 4;
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

/// As V8 does for a buffer that was refused: what nobody holds any longer, of this run or of one before, makes room. The
/// account hears of it from V8.
fn take_after_collection(scope: &mut v8::PinScope<'_, '_>, budget: &MemoryBudget, bytes: u64) -> bool {
    scope.low_memory_notification();
    budget.take_buffer(bytes)
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

/// The first `most` characters of a text. V8 can only read a text whose pieces it has put together, which takes as much as
/// the text: of one that would take more than its share, it says how long it is.
pub fn beginning(scope: &mut v8::PinScope<'_, '_>, text: v8::Local<'_, v8::String>, most: usize) -> String {
    let length = text.length();
    if length > most && !is_affordable(scope, text) {
        return format!("[text of {length} characters]");
    }
    let mut characters = vec![0_u16; length.min(most)];
    text.write_v2(scope, 0, &mut characters, v8::WriteFlags::empty());
    String::from_utf16_lossy(&characters)
}

/// Whether V8 may put the pieces of a text together.
fn is_affordable(scope: &mut v8::PinScope<'_, '_>, text: v8::Local<'_, v8::String>) -> bool {
    let bytes = text.length().saturating_mul(if text.is_onebyte() { 1 } else { 2 }) as u64;
    let budget = scope.get_slot::<RunState>().map(|state| &state.budget);
    budget.is_some_and(|budget| bytes <= budget.limit() / LARGEST_SHARE && budget.has_room(bytes))
}

/// What a copy of a text takes at most.
pub fn max_bytes(text: v8::Local<'_, v8::String>) -> usize {
    text.length().saturating_mul(if text.is_onebyte() { MAX_LATIN_BYTES } else { MAX_WIDE_BYTES })
}
