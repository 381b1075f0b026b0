//! Names as PostgreSQL can keep and index them.
//!
//! It takes every character but U+0000, and indexes no more than a third of a page. So U+0001 in a stored name is followed by
//! `0` for U+0000, by `1` for itself, or by `#` and the SHA-256 of a name that is long. All other names are stored as they are.
//! (Canonical JSON, which contents are, has no U+0000 and no index.)

use crate::hash::Hash;
use std::borrow::Cow;

const ESCAPE: char = '\u{1}';
/// What stands before the hash of a long name.
const LONG: &str = "\u{1}#";
/// Bytes of a name that is not long.
const MAX_NAME: usize = 1000;

/// The text that is stored for a name. Different names have different ones.
pub(super) fn encode_name(name: &str) -> Cow<'_, str> {
    if name.len() > MAX_NAME {
        Cow::Owned(format!("{LONG}{}", Hash::of(name.as_bytes())))
    } else if name.contains(['\0', ESCAPE]) {
        Cow::Owned(name.replace(ESCAPE, "\u{1}1").replace('\0', "\u{1}0"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Whether the name is not in the text that is stored for it.
pub(super) fn is_long(stored: &str) -> bool {
    stored.starts_with(LONG)
}

/// The name that a text is stored for. Of a long one that is `expected`, the one that it should be, if it is; what was stored by
/// somebody else comes back as something that no event has.
pub(super) fn decode_name<'a>(stored: &'a str, expected: Option<&'a str>) -> Cow<'a, str> {
    match expected {
        Some(name) if is_long(stored) && encode_name(name) == stored => Cow::Borrowed(name),
        _ if stored.contains(ESCAPE) => Cow::Owned(stored.replace("\u{1}0", "\0").replace("\u{1}1", "\u{1}")),
        Some(_) | None => Cow::Borrowed(stored),
    }
}

#[cfg(test)]
mod tests {
    use super::{decode_name, encode_name, is_long};

    #[test]
    fn every_name_comes_back_and_none_has_a_zero() {
        let characters = ['\0', '\u{1}', '0', '1', '#'];
        for number in 0..characters.len().pow(5) {
            let digit = |place: u32| characters[number / characters.len().pow(place) % characters.len()];
            let name: String = (0..5).map(digit).collect();
            let stored = encode_name(&name);
            assert!(!stored.contains('\0') && !is_long(&stored));
            assert_eq!(decode_name(&stored, None), name);
        }
        assert!(matches!(encode_name("plain"), std::borrow::Cow::Borrowed("plain")));
    }

    #[test]
    fn a_long_name_is_known_when_it_is_seen() {
        let (name, other) = ("ü".repeat(600), "u".repeat(1200));
        let stored = encode_name(&name);
        assert!(is_long(&stored) && stored.len() < 100);
        assert_eq!(decode_name(&stored, Some(&name)), name);
        for wrong in [None, Some(other.as_str()), Some(stored.as_ref())] {
            assert_eq!(decode_name(&stored, wrong), stored);
        }
    }
}
