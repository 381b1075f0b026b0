//! Text as read by SQLite's built-in functions: bytes up to a NUL, as UTF-8 that may be malformed.

use memchr::memchr;

pub fn before_nul(bytes: &[u8]) -> &[u8] {
    memchr(0, bytes).and_then(|end| bytes.get(..end)).unwrap_or(bytes)
}

/// Whether a byte is a UTF-8 continuation byte.
pub fn continues_letter(byte: u8) -> bool {
    byte & 0xc0 == 0x80
}
