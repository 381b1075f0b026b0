//! Native functions on bytes of guest buffers: base64, Latin-1 and random bytes.

use super::booking::{book, copy_text};
use super::callback::{Arguments, Returned, give_text, guarded, throw};
use base64::Engine;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// As in browsers: padding is optional, and trailing bits are ignored.
const FORGIVING: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The bytes of a typed array, to be read before any other use of V8.
pub fn bytes_of<'a>(value: v8::Local<'a, v8::Value>) -> Option<&'a [u8]> {
    let (data, length) = memory_of(value)?;
    // SAFETY: the view keeps its buffer alive, V8 reports its address, and buffers do not move. No guest code runs before the
    // callback returns, and there is no shared memory, so the bytes do not change meanwhile.
    Some(if length == 0 { &[] } else { unsafe { std::slice::from_raw_parts(data, length) } })
}

/// The same memory, for writing. The buffer must not be read at the same time: a guest may have two views of it.
pub fn room_of<'a>(value: v8::Local<'a, v8::Value>) -> Option<&'a mut [u8]> {
    let (data, length) = memory_of(value)?;
    // SAFETY: as above.
    Some(if length == 0 { &mut [] } else { unsafe { std::slice::from_raw_parts_mut(data, length) } })
}

fn memory_of(value: v8::Local<'_, v8::Value>) -> Option<(*mut u8, usize)> {
    let view = v8::Local::<'_, v8::Uint8Array>::try_from(value).ok()?;
    let (data, length) = (view.data().cast::<u8>(), view.byte_length());
    Some((data, if data.is_null() { 0 } else { length }))
}

/// `atob(text)`: one character per byte, or undefined.
pub fn atob(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((mut text, _booked)) = copy_text(scope, arguments.get(0), 2) else { return };
        text.retain(|character| !matches!(character, ' ' | '\t' | '\n' | '\x0c' | '\r'));
        if text.contains('=') && !text.len().is_multiple_of(4) {
            return;
        }
        let Ok(bytes) = FORGIVING.decode(text) else { return };
        if let Some(binary) = v8::String::new_from_one_byte(scope, &bytes, v8::NewStringType::Normal) {
            returned.set(binary.into());
        }
    });
}

/// `btoa(binary)`: base64 of one byte per character, or undefined if a character does not fit in a byte.
pub fn btoa(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(binary) = v8::Local::<'_, v8::String>::try_from(arguments.get(0)) else { return };
        let Some(_booked) = book(scope, binary.length().saturating_mul(3)) else { return };
        if binary.contains_only_onebyte() {
            let mut bytes = vec![0; binary.length()];
            binary.write_one_byte_v2(scope, 0, &mut bytes, v8::WriteFlags::empty());
            give_text(scope, &mut returned, &FORGIVING.encode(bytes));
        }
    });
}

/// `base64(bytes)`: with padding.
pub fn base64(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some(bytes) = bytes_of(arguments.get(0)) else { return };
        let Some(_booked) = book(scope, bytes.len().saturating_mul(2)) else { return };
        give_text(scope, &mut returned, &FORGIVING.encode(bytes));
    });
}

/// `latin1Read(bytes)`: one character per byte.
pub fn latin1_read(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some(bytes) = bytes_of(arguments.get(0)) else { return };
        let Some(_room) = book(scope, bytes.len()) else { return };
        match v8::String::new_from_one_byte(scope, bytes, v8::NewStringType::Normal) {
            Some(binary) => returned.set(binary.into()),
            None => throw(scope, "Invalid string length"),
        }
    });
}

/// `latin1Write(binary, bytes)`: the low byte of each character.
pub fn latin1_write(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(binary) = v8::Local::<'_, v8::String>::try_from(arguments.get(0)) else { return };
        let Some(_room) = book(scope, binary.length()) else { return };
        if let Some(bytes) = room_of(arguments.get(1)) {
            binary.write_one_byte_v2(scope, 0, bytes, v8::WriteFlags::empty());
        }
    });
}

/// `fillRandom(bytes)`: from the system.
pub fn fill_random(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        if let Some(bytes) = room_of(arguments.get(0))
            && getrandom::fill(bytes).is_err()
        {
            throw(scope, "the system has no random bytes");
        }
    });
}
