//! SHA-256 digests, which identify contents and chain events.

use ring::digest::{SHA256, digest};
use std::fmt;

/// A SHA-256 digest. Its text form is 64 hex digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Hash(pub [u8; 32]);

impl Hash {
    /// The hash before the first event.
    pub const ZERO: Self = Self([0; 32]);

    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let mut hash = [0; 32];
        hash.copy_from_slice(digest(&SHA256, bytes).as_ref());
        Self(hash)
    }

    /// The digest of exactly 32 bytes.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        bytes.try_into().ok().map(Self)
    }

    /// Parses 64 lower-case hex digits.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 64 {
            return None;
        }
        let mut hash = [0; 32];
        for (byte, pair) in hash.iter_mut().zip(digits.chunks_exact(2)) {
            let [high, low] = pair else { return None };
            *byte = (digit(*high)? << 4) | digit(*low)?;
        }
        Some(Self(hash))
    }

    /// 64 hex digits.
    #[must_use]
    pub fn hex(&self) -> String {
        String::from_utf8_lossy(&self.digits()).into_owned()
    }

    /// 64 hex digits, as bytes.
    #[must_use]
    pub fn digits(&self) -> [u8; 64] {
        const DIGITS: [u8; 16] = *b"0123456789abcdef";
        let digit = |value: u8| DIGITS.get(usize::from(value)).copied().unwrap_or_default();
        let mut digits = [0; 64];
        for (pair, byte) in digits.as_chunks_mut::<2>().0.iter_mut().zip(self.0) {
            *pair = [digit(byte >> 4), digit(byte & 15)];
        }
        digits
    }
}

const fn digit(byte: u8) -> Option<u8> {
    match byte {
        b'0'..=b'9' => Some(byte - b'0'),
        b'a'..=b'f' => Some(byte - b'a' + 10),
        _ => None,
    }
}

impl fmt::Display for Hash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.hex())
    }
}

#[cfg(test)]
mod tests {
    use super::Hash;

    #[test]
    fn hex_round_trips_and_other_texts_are_rejected() {
        let hash = Hash::of(b"abc");
        assert_eq!(hash.hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(Hash::parse(&hash.hex()), Some(hash));
        assert_eq!(Hash::from_bytes(&hash.0), Some(hash));
        assert_eq!(Hash::from_bytes(&[0; 31]), None);
        for wrong in ["", "ab", &hash.hex().to_uppercase(), &format!("{}0", hash.hex())] {
            assert_eq!(Hash::parse(wrong), None);
        }
    }
}
