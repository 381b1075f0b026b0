//! Text encoding and decoding by the WHATWG Encoding standard, with `encoding_rs`.

use super::booking::{beginning, book, copy_text};
use super::callback::{Arguments, Returned, give_text, guarded};
use super::native_bytes::{bytes_of, room_of};
use encoding_rs::{CoderResult, DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Most bytes of an incomplete character, in any encoding.
const MAX_CUT: usize = 3;

/// Most bytes of UTF-8 per decoded byte, in any encoding.
const MAX_DECODED: usize = 3;

/// `utf8Length(text)`: the number of bytes.
pub fn utf8_length(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(text) = v8::Local::<'_, v8::String>::try_from(arguments.get(0)) else { return };
        // Counting makes V8 flatten the string, which takes as much memory as the string.
        let Some(_room) = book(scope, text.length()) else { return };
        returned.set_double(text.utf8_length(scope) as f64);
    });
}

/// `utf8Write(text, bytes)`: the characters read, shifted by 32 bits, and the bytes written. Only whole characters.
pub fn utf8_write(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(text) = v8::Local::<'_, v8::String>::try_from(arguments.get(0)) else { return };
        let Some(bytes) = room_of(arguments.get(1)) else { return };
        // V8 flattens the string, however few of its characters are read.
        let Some(_room) = book(scope, text.length()) else { return };
        let mut read = 0;
        let written = text.write_utf8_v2(scope, bytes, v8::WriteFlags::kReplaceInvalidUtf8, Some(&mut read));
        returned.set_double((read as f64) * 4_294_967_296.0 + written as f64);
    });
}

/// `head(text, most)`: the first `most` characters; a description if the string is too long to be read.
pub fn head(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Ok(text) = v8::Local::<'_, v8::String>::try_from(arguments.get(0)) else { return };
        let most = arguments.get(1).uint32_value(scope).unwrap_or(0) as usize;
        let head = beginning(scope, text, most);
        give_text(scope, &mut returned, &head);
    });
}

/// `encodingName(label)`: the standard's name, or undefined.
pub fn encoding_name(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((label, _booked)) = copy_text(scope, arguments.get(0), 1) else { return };
        if let Some(encoding) = Encoding::for_label_no_replacement(label.as_bytes()) {
            give_text(scope, &mut returned, &encoding.name().to_ascii_lowercase());
        }
    });
}

/// `decode(name, bytes, fatal, keepBom)`: the text, or undefined if the bytes are invalid and `fatal` is set.
pub fn decode(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some(encoding) = encoding_of(scope, &arguments) else { return };
        let Some(bytes) = bytes_of(arguments.get(1)) else { return };
        // Valid UTF-8 is not copied; an invalid byte becomes a replacement character of three bytes.
        let is_text = encoding == UTF_8 && Encoding::utf8_valid_up_to(bytes) == bytes.len();
        let copied = if is_text { 0 } else { bytes.len().saturating_mul(MAX_DECODED) };
        let Some(_booked) = book(scope, copied) else { return };
        let (text, malformed) = if arguments.get(3).is_true() {
            encoding.decode_without_bom_handling(bytes)
        } else {
            encoding.decode_with_bom_removal(bytes)
        };
        if !(malformed && arguments.get(2).is_true()) {
            give_text(scope, &mut returned, &text);
        }
    });
}

/// `wholeBytes(name, bytes)`: how many bytes hold whole characters.
pub fn whole_bytes(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some(encoding) = encoding_of(scope, &arguments) else { return };
        let Some(bytes) = bytes_of(arguments.get(1)) else { return };
        returned.set_double(whole(encoding, bytes) as f64);
    });
}

fn encoding_of(scope: &mut v8::PinScope<'_, '_>, arguments: &Arguments<'_>) -> Option<&'static Encoding> {
    let (label, _booked) = copy_text(scope, arguments.get(0), 1)?;
    Encoding::for_label(label.as_bytes())
}

fn whole(encoding: &'static Encoding, bytes: &[u8]) -> usize {
    if encoding == UTF_8 {
        let cut = bytes.len() - cut_utf8(bytes);
        return if bytes.get(cut..).is_some_and(could_go_on) { cut } else { bytes.len() };
    }
    if encoding == UTF_16LE || encoding == UTF_16BE {
        let even = bytes.len() & !1;
        let last = bytes.get(..even).and_then(<[u8]>::last_chunk::<2>);
        let half = last.is_some_and(|[a, b]| (if encoding == UTF_16LE { b } else { a }) & 0xfc == 0xd8);
        return if half { even - 2 } else { even };
    }
    if encoding.is_single_byte() {
        return bytes.len();
    }
    (0..=MAX_CUT)
        .map(|cut| bytes.len().saturating_sub(cut))
        .find(|end| bytes.get(..*end).is_some_and(|start| ends_whole(encoding, start)))
        .unwrap_or(bytes.len())
}

/// Whether the bytes end with a complete character: a decoder reports no error at this end.
fn ends_whole(encoding: &'static Encoding, bytes: &[u8]) -> bool {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut scratch = [0; 4096];
    let mut rest = bytes;
    loop {
        let (result, read, ..) = decoder.decode_to_utf8(rest, &mut scratch, false);
        rest = rest.get(read..).unwrap_or_default();
        if result == CoderResult::InputEmpty {
            break;
        }
    }
    let (result, ..) = decoder.decode_to_utf8_without_replacement(&[], &mut scratch, true);
    result == DecoderResult::InputEmpty
}

/// Whether the bytes are the beginning of a valid UTF-8 character.
fn could_go_on(bytes: &[u8]) -> bool {
    let mut decoder = UTF_8.new_decoder_without_bom_handling();
    let (result, ..) = decoder.decode_to_utf8_without_replacement(bytes, &mut [0; 16], false);
    result == DecoderResult::InputEmpty
}

/// Number of bytes at the end that belong to an incomplete character.
fn cut_utf8(bytes: &[u8]) -> usize {
    for (back, byte) in bytes.iter().rev().take(3).enumerate() {
        let needed = match byte {
            0xc2..=0xdf => 2,
            0xe0..=0xef => 3,
            0xf0..=0xf4 => 4,
            0x80..=0xbf => continue,
            _ => return 0,
        };
        return if needed > back + 1 { back + 1 } else { 0 };
    }
    0
}

#[cfg(test)]
mod tests {
    use super::whole;
    use encoding_rs::{BIG5, EUC_JP, GB18030, ISO_2022_JP, SHIFT_JIS, UTF_8, UTF_16LE, WINDOWS_1252};

    #[test]
    fn a_cut_character_is_left_for_the_next_chunk() {
        let euro = "a€".as_bytes();
        assert_eq!(whole(UTF_8, euro), 4);
        assert_eq!(whole(UTF_8, &euro[..3]), 1);
        assert_eq!(whole(UTF_8, &euro[..2]), 1);
        assert_eq!(whole(UTF_8, "😀".as_bytes()), 4);
        assert_eq!(whole(UTF_8, &"😀".as_bytes()[..3]), 0);
        assert_eq!(whole(UTF_8, &[0x80, 0x80, 0x80]), 3);
        assert_eq!(whole(UTF_8, &[0xf0, 0x80]), 2, "no character begins like that");
        assert_eq!(whole(UTF_16LE, &[0x61, 0, 0x3d, 0xd8, 0]), 2);
        assert_eq!(whole(WINDOWS_1252, &[0xff]), 1);
        assert_eq!(whole(SHIFT_JIS, &[0x61, 0x83]), 1);
        assert_eq!(whole(SHIFT_JIS, &[0x83, 0x41]), 2);
        assert_eq!(whole(BIG5, &[0xa4, 0x40, 0xa4]), 2);
        assert_eq!(whole(EUC_JP, &[0x8f, 0xb0]), 0);
        assert_eq!(whole(GB18030, &[0x61, 0x81, 0x30, 0x81]), 1);
        assert_eq!(whole(ISO_2022_JP, &[0x1b, 0x24]), 0);
        assert_eq!(whole(ISO_2022_JP, &[0x1b, 0x24, 0x42, 0x30]), 3);
    }
}
