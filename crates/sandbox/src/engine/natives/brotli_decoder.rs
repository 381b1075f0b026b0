//! Decompression of Brotli, piece by piece.

use super::codec_progress::Progress;
use brotli_decompressor::{BrotliDecompressStream, BrotliResult, BrotliState, StandardAlloc};

/// Memory of the tables of a stream, in the worst case.
const TABLE_BYTES: usize = 7 << 19;

pub struct BrotliDecoder {
    state: Box<BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>>,
    total_out: usize,
    has_begun: bool,
}

impl BrotliDecoder {
    pub fn new() -> Self {
        let allocator = StandardAlloc::default;
        // Strict: windows of up to 16 MiB, as the format defines it.
        let state = BrotliState::new_strict(allocator(), allocator(), allocator());
        Self { state: Box::new(state), total_out: 0, has_begun: false }
    }

    /// Memory that the stream needs from its first byte on; zero later.
    pub fn bytes_for(&mut self, first: u8) -> usize {
        if std::mem::replace(&mut self.has_begun, true) {
            return 0;
        }
        // A window that grows is copied.
        let window = 1_usize << window_bits(first);
        window + window / 2 + TABLE_BYTES
    }

    /// The error of invalid bytes is the number of the decoder's error, and a message.
    pub fn push(&mut self, bytes: &[u8], out: &mut [u8]) -> Result<Progress, String> {
        let (mut left, mut read) = (bytes.len(), 0);
        let (mut room, mut written) = (out.len(), 0);
        let result = BrotliDecompressStream(
            &mut left,
            &mut read,
            bytes,
            &mut room,
            &mut written,
            out,
            &mut self.total_out,
            &mut self.state,
        );
        let has_ended = match result {
            BrotliResult::ResultSuccess => 1,
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => 0,
            BrotliResult::ResultFailure => {
                return Err(format!("{} Decompression failed", self.state.error_code as i32));
            }
        };
        Ok([read as u64, written as u64, has_ended])
    }
}

/// The size of the window as a power of two (RFC 7932, section 9.1).
fn window_bits(first: u8) -> u8 {
    let (short, long) = ((first >> 1) & 7, (first >> 4) & 7);
    match (first & 1, short, long) {
        (0, ..) => 16,
        (_, 0, 0) => 17,
        (_, 0, bits) => 8 + bits,
        (_, bits, _) => 17 + bits,
    }
}

#[cfg(test)]
mod tests {
    use super::{BrotliDecoder, window_bits};

    #[test]
    fn the_first_byte_tells_the_window_and_memory_is_asked_for_once() {
        assert_eq!([0x00, 0x01, 0x21, 0x71, 0x03, 0x0b, 0x0f].map(window_bits), [16, 17, 10, 15, 18, 22, 24]);
        let mut decoder = BrotliDecoder::new();
        assert!(decoder.bytes_for(0x0b) > 4 << 20);
        assert_eq!(decoder.bytes_for(0x0b), 0);
    }

    #[test]
    fn text_is_decompressed_in_pieces_of_any_size_and_invalid_bytes_are_refused() {
        let packed = [0x0b, 5, 0x80, b'h', b'e', b'l', b'l', b'o', b' ', b'w', b'o', b'r', b'l', b'd', 3];
        for piece in [1, 4, 100] {
            let (mut decoder, mut text, mut ended) = (BrotliDecoder::new(), Vec::new(), 0);
            for bytes in packed.chunks(piece) {
                let mut out = [0; 64];
                let [read, written, has_ended] = decoder.push(bytes, &mut out).unwrap();
                assert_eq!(read, bytes.len() as u64);
                text.extend(&out[..usize::try_from(written).unwrap()]);
                ended = has_ended;
            }
            assert_eq!((text.as_slice(), ended), (&b"hello world"[..], 1));
        }
        assert_eq!(BrotliDecoder::new().push(&[0xff; 4], &mut [0; 8]).unwrap_err(), "-15 Decompression failed");
    }
}
