//! Native compression and decompression, piece by piece. Output is stored in guest buffers and counts there.

use super::booking::{Booking, book, copy_text};
use super::brotli_decoder::BrotliDecoder;
use super::brotli_encoder::{BrotliEncoder, ENCODER_BYTES};
use super::callback::{Arguments, Returned, give_text, guarded, throw};
use super::codec_progress::Progress;
use super::native_bytes::{bytes_of, room_of};
use crate::engine::run::RunState;
use zlib_rs::{Deflate, DeflateConfig, DeflateFlush, Inflate, InflateError, InflateFlush, Status, Strategy};

/// Memory of the window and tables of a compressor and of a decompressor.
const PACKING_BYTES: usize = 440 << 10;
const UNPACKING_BYTES: usize = 64 << 10;
/// What is added to the window bits for gzip, and for gzip or zlib by the first byte.
const GZIP: i32 = 16;
const ANY_HEADER: i32 = 32;
const MAX_WINDOW_BITS: i32 = 15;

/// One compression or decompression stream, with its memory booked in the run's budget.
struct Codec {
    direction: Direction,
    /// For a zlib stream that asks for it; data can be read with the right one only.
    dictionary: Vec<u8>,
    booked: Vec<Booking>,
}

enum Direction {
    Compress(Deflate),
    Decompress(Inflate),
    Brotli(BrotliDecoder),
    PackBrotli(BrotliEncoder),
}

/// `codecOpen(format, packs, level, windowBits, memLevel, strategy, dictionary)`: the number of a new codec; undefined for an
/// unknown format. All but the first two may be undefined.
pub fn codec_open(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((format, _text)) = copy_text(scope, arguments.get(0), 1) else { return };
        let packs = arguments.get(1).is_true();
        let window_bits = number(scope, &arguments, 3, MAX_WINDOW_BITS);
        let config = DeflateConfig {
            level: number(scope, &arguments, 2, -1).clamp(-1, 9),
            mem_level: number(scope, &arguments, 4, 8).clamp(1, 9),
            strategy: strategy(number(scope, &arguments, 5, 0)),
            ..DeflateConfig::default()
        };
        let dictionary_bytes = bytes_of(arguments.get(6)).map_or(0, <[u8]>::len);
        let needed = match (format.as_str(), packs) {
            ("brotli", true) => ENCODER_BYTES,
            (_, true) => PACKING_BYTES,
            (_, false) => UNPACKING_BYTES,
        };
        let Some(booked) = book(scope, needed) else { return };
        let Some(booked_dictionary) = book(scope, dictionary_bytes) else { return };
        let dictionary = bytes_of(arguments.get(6)).map(<[u8]>::to_vec).unwrap_or_default();
        let direction = match (format.as_str(), packs) {
            ("brotli", true) => Some(Direction::PackBrotli(BrotliEncoder::new())),
            ("brotli", false) => Some(Direction::Brotli(BrotliDecoder::new())),
            (format, true) => compressor(format, window_bits, config, &dictionary),
            (format, false) => decompressor(format, window_bits, &dictionary),
        };
        let Some(direction) = direction else { return };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            let codec = Codec { direction, dictionary, booked: vec![booked, booked_dictionary] };
            returned.set_uint32(state.kept.keep(Box::new(codec)));
        }
    });
}

/// `codecPush(codec, bytes, out, flush)`: bytes read, bytes written, and whether the stream has ended; text if the bytes are
/// invalid: zlib's code and its message. `out` is a buffer that guests cannot reach; `flush` is one of zlib's numbers.
pub fn codec_push(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let id = arguments.get(0).uint32_value(scope).unwrap_or(0);
        let flush = number(scope, &arguments, 3, 0);
        if !book_more(scope, id, arguments.get(1)) {
            return;
        }
        let (Some(bytes), Some(out)) = (bytes_of(arguments.get(1)), room_of(arguments.get(2))) else { return };
        let done = scope
            .get_slot_mut::<RunState>()
            .and_then(|state| state.kept.get_mut::<Codec>(id))
            .map(|codec| codec.push(bytes, out, flush));
        match done {
            Some(Ok(progress)) => {
                let progress = progress.map(|number| v8::Number::new(scope, number as f64).into());
                let progress = v8::Array::new_with_elements(scope, &progress);
                returned.set(progress.into());
            }
            Some(Err(message)) => give_text(scope, &mut returned, &message),
            None => {}
        }
    });
}

/// Books the memory of a Brotli stream, whose first byte tells its size. False if the run has no room for it.
fn book_more(scope: &mut v8::PinScope<'_, '_>, id: u32, bytes: v8::Local<'_, v8::Value>) -> bool {
    let first = bytes_of(bytes).and_then(<[u8]>::first).copied();
    let codec = scope.get_slot_mut::<RunState>().and_then(|state| state.kept.get_mut::<Codec>(id));
    let Some((first, Direction::Brotli(decoder))) = first.zip(codec.map(|codec| &mut codec.direction)) else {
        return true;
    };
    let bytes = decoder.bytes_for(first);
    let Some(booked) = book(scope, bytes) else { return false };
    let codec = scope.get_slot_mut::<RunState>().and_then(|state| state.kept.get_mut::<Codec>(id));
    if let Some(codec) = codec
        && bytes > 0
    {
        codec.booked.push(booked);
    }
    true
}

/// `codecClose(codec)`.
pub fn codec_close(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, _: Returned<'_>) {
    guarded(scope, |scope| {
        let id = arguments.get(0).uint32_value(scope).unwrap_or(0);
        match scope.get_slot_mut::<RunState>() {
            Some(state) => state.kept.forget(id),
            None => throw(scope, "the run is over"),
        }
    });
}

/// `crc32(bytes, start)`.
pub fn crc32(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let start = number(scope, &arguments, 1, 0).cast_unsigned();
        if let Some(bytes) = bytes_of(arguments.get(0)) {
            returned.set_uint32(zlib_rs::crc32::crc32(start, bytes));
        }
    });
}

/// An argument as a number; anything else is the default. No guest code runs.
fn number(scope: &mut v8::PinScope<'_, '_>, arguments: &Arguments<'_>, at: i32, default: i32) -> i32 {
    let value = arguments.get(at);
    if value.is_number() { value.int32_value(scope).unwrap_or(default) } else { default }
}

fn strategy(number: i32) -> Strategy {
    match number {
        1 => Strategy::Filtered,
        2 => Strategy::HuffmanOnly,
        3 => Strategy::Rle,
        4 => Strategy::Fixed,
        _ => Strategy::Default,
    }
}

fn compressor(format: &str, window_bits: i32, config: DeflateConfig, dictionary: &[u8]) -> Option<Direction> {
    // As zlib does: a window of 256 bytes is one of 512.
    let bits = window_bits.clamp(9, MAX_WINDOW_BITS);
    let window_bits = match format {
        "gzip" => GZIP + bits,
        "deflate" => bits,
        "deflate-raw" => -bits,
        _ => return None,
    };
    let mut deflate = Deflate::new_with_config(DeflateConfig { window_bits, ..config });
    // Only gzip refuses it, which has no place for it.
    if !dictionary.is_empty() {
        let _ = deflate.set_dictionary(dictionary);
    }
    Some(Direction::Compress(deflate))
}

fn decompressor(format: &str, window_bits: i32, dictionary: &[u8]) -> Option<Direction> {
    let bits = if window_bits == 0 { MAX_WINDOW_BITS } else { window_bits.clamp(8, MAX_WINDOW_BITS) };
    let (has_header, bits) = match format {
        "gzip" => (true, GZIP + bits),
        "deflate" => (true, bits),
        "deflate-raw" => (false, bits),
        "unzip" => (true, ANY_HEADER + bits),
        _ => return None,
    };
    let mut inflate = Inflate::new(has_header, u8::try_from(bits).ok()?);
    if !has_header && !dictionary.is_empty() {
        let _ = inflate.set_dictionary(dictionary);
    }
    Some(Direction::Decompress(inflate))
}

impl Codec {
    fn push(&mut self, bytes: &[u8], out: &mut [u8], flush: i32) -> Result<Progress, String> {
        match &mut self.direction {
            Direction::Compress(pack) => {
                let before = (pack.total_in(), pack.total_out());
                let flush = match flush {
                    1 => DeflateFlush::PartialFlush,
                    2 => DeflateFlush::SyncFlush,
                    3 => DeflateFlush::FullFlush,
                    4 => DeflateFlush::Finish,
                    5 => DeflateFlush::Block,
                    _ => DeflateFlush::NoFlush,
                };
                let status =
                    pack.compress(bytes, out, flush).map_err(|error| format!("Z_STREAM_ERROR {}", error.as_str()))?;
                Ok(progress(before, status, (pack.total_in(), pack.total_out())))
            }
            Direction::Decompress(unpack) => unpack_piece(unpack, &self.dictionary, bytes, out),
            Direction::Brotli(decoder) => decoder.push(bytes, out),
            Direction::PackBrotli(encoder) => Ok(encoder.push(bytes, out, flush)),
        }
    }
}

fn unpack_piece(unpack: &mut Inflate, dictionary: &[u8], bytes: &[u8], out: &mut [u8]) -> Result<Progress, String> {
    let before = (unpack.total_in(), unpack.total_out());
    let mut done = unpack.decompress(bytes, out, InflateFlush::NoFlush);
    if matches!(done, Err(InflateError::NeedDict { .. })) && !dictionary.is_empty() {
        unpack.set_dictionary(dictionary).map_err(|_| "Z_NEED_DICT Bad dictionary".to_string())?;
        let read = usize::try_from(unpack.total_in() - before.0).unwrap_or(usize::MAX);
        done = unpack.decompress(bytes.get(read..).unwrap_or_default(), out, InflateFlush::NoFlush);
    }
    match done {
        Ok(status) => Ok(progress(before, status, (unpack.total_in(), unpack.total_out()))),
        Err(InflateError::NeedDict { .. }) => Err("Z_NEED_DICT Missing dictionary".to_string()),
        Err(error) => {
            let message = unpack.error_message().unwrap_or(error.as_str());
            Err(format!("Z_DATA_ERROR {message}"))
        }
    }
}

fn progress(before: (u64, u64), status: Status, after: (u64, u64)) -> Progress {
    [after.0 - before.0, after.1 - before.1, u64::from(status == Status::StreamEnd)]
}
