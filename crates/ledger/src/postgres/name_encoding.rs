//! Encodes names so that PostgreSQL can store and index them.
//!
//! PostgreSQL rejects U+0000 and limits index entries to a third of a page. Therefore U+0001 is an escape: followed by `0`
//! for U+0000, by `1` for itself, or by `#` and the SHA-256 of a long name. Other names are stored unchanged. (Contents are
//! canonical JSON, which has no U+0000, and are not indexed.)

use crate::hash::Hash;
use std::borrow::Cow;

const ESCAPE: char = '\u{1}';
/// The prefix of the hash of a long name.
const LONG: &str = "\u{1}#";
/// The longest name that is stored completely, in bytes.
const MAX_NAME: usize = 1000;

/// Encodes a name. The encoding is injective.
pub(super) fn encode_name(name: &str) -> Cow<'_, str> {
    if name.len() > MAX_NAME {
        Cow::Owned(format!("{LONG}{}", Hash::of(name.as_bytes())))
    } else if name.contains(['\0', ESCAPE]) {
        Cow::Owned(name.replace(ESCAPE, "\u{1}1").replace('\0', "\u{1}0"))
    } else {
        Cow::Borrowed(name)
    }
}

/// Whether the stored text is the hash of a long name.
pub(super) fn is_long(stored: &str) -> bool {
    stored.starts_with(LONG)
}

/// Decodes a stored name. A long name is returned if it is `expected` and its hash matches; a manipulated text decodes to a
/// name that no event has.
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
    fn every_name_round_trips_without_nul() {
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
    fn a_long_name_is_recognised_by_its_hash() {
        let (name, other) = ("ü".repeat(600), "u".repeat(1200));
        let stored = encode_name(&name);
        assert!(is_long(&stored) && stored.len() < 100);
        assert_eq!(decode_name(&stored, Some(&name)), name);
        for wrong in [None, Some(other.as_str()), Some(stored.as_ref())] {
            assert_eq!(decode_name(&stored, wrong), stored);
        }
    }
}
