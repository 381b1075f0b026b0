//! HMAC with SHA-256.

use ring::hmac::{HMAC_SHA256, Key, sign, verify};

pub(super) const TAG_BYTES: usize = 32;

pub(super) fn mac(key: &[u8], message: &[u8]) -> [u8; TAG_BYTES] {
    let tag = sign(&Key::new(HMAC_SHA256, key), message);
    let mut bytes = [0; TAG_BYTES];
    bytes.iter_mut().zip(tag.as_ref()).for_each(|(to, from)| *to = *from);
    bytes
}

/// Verifies a tag in constant time.
pub(super) fn is_mac(key: &[u8], message: &[u8], tag: &[u8]) -> bool {
    verify(&Key::new(HMAC_SHA256, key), message, tag).is_ok()
}
