//! Native compression and decompression, piece by piece. Output is stored in guest buffers and counts there.

use super::booking::{Booking, book, copy_text};
use super::callback::{Arguments, Returned, guarded, throw};
use super::native_bytes::{bytes_of, room_of};
use crate::engine::run::RunState;
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// Memory of the window and tables of a compressor and of a decompressor.
const PACKING_BYTES: usize = 300 << 10;
const UNPACKING_BYTES: usize = 64 << 10;
const WINDOW_BITS: u8 = 15;

/// One compression or decompression stream, with its memory booked in the run's budget.
struct Codec {
    direction: Direction,
    _booked: Booking,
}

enum Direction {
    Compress(Compress),
    Decompress(Decompress),
}

/// `codecOpen(format, packs)`: the number of a new codec; undefined for an unknown format.
pub fn codec_open(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let Some((format, _text)) = copy_text(scope, arguments.get(0), 1) else { return };
        let packs = arguments.get(1).is_true();
        if !matches!(format.as_str(), "gzip" | "deflate" | "deflate-raw") {
            return;
        }
        let Some(booked) = book(scope, if packs { PACKING_BYTES } else { UNPACKING_BYTES }) else { return };
        let level = Compression::default();
        let direction = match (format.as_str(), packs) {
            ("gzip", true) => Direction::Compress(Compress::new_gzip(level, WINDOW_BITS)),
            ("gzip", false) => Direction::Decompress(Decompress::new_gzip(WINDOW_BITS)),
            (format, true) => Direction::Compress(Compress::new(level, format == "deflate")),
            (format, false) => Direction::Decompress(Decompress::new(format == "deflate")),
        };
        if let Some(state) = scope.get_slot_mut::<RunState>() {
            returned.set_uint32(state.kept.keep(Box::new(Codec { direction, _booked: booked })));
        }
    });
}

/// `codecPush(codec, bytes, out, last)`: bytes read, bytes written, and whether the stream has ended; undefined if the bytes are
/// invalid. `out` is a buffer that guests cannot reach.
pub fn codec_push(scope: &mut v8::PinScope<'_, '_>, arguments: Arguments<'_>, mut returned: Returned<'_>) {
    guarded(scope, |scope| {
        let id = arguments.get(0).uint32_value(scope).unwrap_or(0);
        let (Some(bytes), Some(out)) = (bytes_of(arguments.get(1)), room_of(arguments.get(2))) else { return };
        let last = arguments.get(3).is_true();
        let done = scope
            .get_slot_mut::<RunState>()
            .and_then(|state| state.kept.get_mut::<Codec>(id))
            .and_then(|codec| codec.push(bytes, out, last));
        let Some([read, written, ended]) = done else { return };
        let progress = [read, written, ended].map(|number| v8::Number::new(scope, number as f64).into());
        let progress = v8::Array::new_with_elements(scope, &progress);
        returned.set(progress.into());
    });
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

impl Codec {
    fn push(&mut self, bytes: &[u8], out: &mut [u8], last: bool) -> Option<[u64; 3]> {
        let (before, status, after) = match &mut self.direction {
            Direction::Compress(pack) => {
                let before = (pack.total_in(), pack.total_out());
                let flush = if last { FlushCompress::Finish } else { FlushCompress::None };
                let status = pack.compress(bytes, out, flush).ok()?;
                (before, status, (pack.total_in(), pack.total_out()))
            }
            Direction::Decompress(unpack) => {
                let before = (unpack.total_in(), unpack.total_out());
                let status = unpack.decompress(bytes, out, FlushDecompress::None).ok()?;
                (before, status, (unpack.total_in(), unpack.total_out()))
            }
        };
        Some([after.0 - before.0, after.1 - before.1, u64::from(status == Status::StreamEnd)])
    }
}
