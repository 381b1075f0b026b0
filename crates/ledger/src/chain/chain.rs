//! The hash chain: each event's hash covers its content, its sequence number, and the previous event's hash.

use crate::hash::Hash;

/// Capacity for the hashed text.
const LONGEST: usize = 192;

/// The hash of event `seq` with content hash `id` after the event with hash `prev`: SHA-256 of the text
/// `tgp-ledger-1\n<prev>\n<seq>\n<id>\n`, hashes as hex digits and the number in decimal.
#[must_use]
pub fn link(prev: &Hash, seq: u64, id: &Hash) -> Hash {
    let mut text = Vec::with_capacity(LONGEST);
    text.extend_from_slice(b"tgp-ledger-1\n");
    text.extend_from_slice(&prev.digits());
    text.push(b'\n');
    text.extend_from_slice(seq.to_string().as_bytes());
    text.push(b'\n');
    text.extend_from_slice(&id.digits());
    text.push(b'\n');
    Hash::of(&text)
}

#[cfg(test)]
mod tests {
    use super::link;
    use crate::hash::Hash;

    #[test]
    fn the_hashed_text_is_fixed() {
        let id = Hash::of(b"{}");
        let text = format!("tgp-ledger-1\n{}\n12\n{id}\n", "0".repeat(64));
        assert_eq!(link(&Hash::ZERO, 12, &id), Hash::of(text.as_bytes()));
    }

    #[test]
    fn every_input_changes_the_hash() {
        let (a, b) = (Hash::of(b"a"), Hash::of(b"b"));
        let hashes = [link(&a, 1, &b), link(&b, 1, &b), link(&a, 2, &b), link(&a, 1, &a)];
        let different: std::collections::HashSet<_> = hashes.iter().collect();
        assert_eq!(different.len(), hashes.len());
    }
}
