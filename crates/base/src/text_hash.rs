//! SHA-256 of texts.

use ring::digest::{SHA256, digest};
use std::fmt::Write as _;

/// SHA-256 in hexadecimal digits.
#[must_use]
pub fn text_hash(text: &[u8]) -> String {
    let mut hash = String::with_capacity(64);
    for byte in digest(&SHA256, text).as_ref() {
        // Writing to a String cannot fail.
        let _infallible = write!(hash, "{byte:02x}");
    }
    hash
}
