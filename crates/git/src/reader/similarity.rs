//! The similarity of two texts, as `git diff -M` measures it: the share of bytes in equal lines.

/// Longest chunk without a line break.
const CHUNK_BYTES: usize = 64;
/// Bytes that are searched for a NUL, which marks a file as binary.
const BINARY_CHECK_BYTES: usize = 8000;

/// The chunks of one text: lines, or parts of long ones, with the bytes of all equal ones together, sorted by hash.
#[derive(Debug)]
pub(super) struct Chunks {
    counts: Vec<(u64, u32)>,
    size: u64,
}

impl Chunks {
    pub(super) fn of(content: &[u8]) -> Self {
        let is_text = !content.iter().take(BINARY_CHECK_BYTES).any(|byte| *byte == 0);
        let mut chunks = Vec::new();
        let mut rest = content;
        while !rest.is_empty() {
            let line = rest.iter().position(|byte| *byte == b'\n').map_or(rest.len(), |at| at + 1);
            let (chunk, next) = rest.split_at(line.min(CHUNK_BYTES));
            rest = next;
            // In a text, a line end of two bytes equals one of one byte.
            let line = chunk.strip_suffix(b"\r\n").filter(|_| is_text);
            chunks.push(match line {
                Some(line) => (hash(line.iter().chain(b"\n")), line.len() as u32 + 1),
                None => (hash(chunk.iter()), chunk.len() as u32),
            });
        }
        chunks.sort_unstable();
        chunks.dedup_by(|later, earlier| {
            let is_same = later.0 == earlier.0;
            if is_same {
                earlier.1 = earlier.1.saturating_add(later.1);
            }
            is_same
        });
        Self { counts: chunks, size: content.len() as u64 }
    }

    /// Number of different chunks: the cost of a comparison.
    pub(super) fn len(&self) -> usize {
        self.counts.len()
    }

    /// Percentage of the larger text that is in both, rounded down.
    pub(super) fn similarity(&self, other: &Self) -> u8 {
        let larger = self.size.max(other.size);
        if larger == 0 {
            return 100;
        }
        let mut common = 0_u64;
        let mut others = other.counts.iter().peekable();
        for (hash, bytes) in &self.counts {
            while others.next_if(|(next, _)| next < hash).is_some() {}
            if let Some((_, matching)) = others.next_if(|(next, _)| next == hash) {
                common += u64::from(*bytes.min(matching));
            }
        }
        u8::try_from(common.saturating_mul(100) / larger).unwrap_or(100).min(100)
    }

    /// Upper bound of the similarity, by the sizes alone.
    pub(super) fn bound(&self, other: &Self) -> u64 {
        let larger = self.size.max(other.size).max(1);
        self.size.min(other.size).saturating_mul(100) / larger
    }
}

/// FNV-1a, 64 bits.
fn hash<'b>(bytes: impl Iterator<Item = &'b u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::Chunks;

    fn similarity(one: &str, other: &str) -> u8 {
        Chunks::of(one.as_bytes()).similarity(&Chunks::of(other.as_bytes()))
    }

    #[test]
    fn the_share_of_common_lines_is_measured() {
        assert_eq!(similarity("a\nb\n", "a\nb\n"), 100);
        assert_eq!(similarity("a\nb\n", "b\nc\n"), 50);
        assert_eq!(similarity("b\na\n", "a\nb\n"), 100);
        assert_eq!(similarity("a\na\na\n", "a\n"), 33);
        assert_eq!(similarity("", ""), 100);
        assert_eq!(similarity("", "a"), 0);
        assert_eq!(similarity("x\n", "y\n"), 0);
    }

    #[test]
    fn long_lines_are_split_and_binary_files_compared() {
        let long = "0123456789abcdef".repeat(16);
        assert_eq!(similarity(&long, &long), 100);
        assert!(similarity(&long, &format!("{long}{}", "z".repeat(64))) >= 80);
        let binary: Vec<u8> = (0..=255).cycle().take(4096).collect();
        assert_eq!(Chunks::of(&binary).similarity(&Chunks::of(&binary)), 100);
    }
}
