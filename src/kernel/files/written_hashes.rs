//! Hashes of the texts that this kernel wrote. A file that still has such a text has no manual edits that could get
//! lost.

use crate::kernel::bounded_cache::BoundedCache;
use tgp_vfs::JailPath;

/// Most files to remember. For an evicted file, the next write consults the history.
const MAX_FILES: usize = 16_384;

/// The hash of the last written text, by path.
pub struct WrittenHashes(BoundedCache<String, blake3::Hash>);

impl Default for WrittenHashes {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_FILES))
    }
}

impl WrittenHashes {
    /// Remembers the new text of a file; `None` when it was removed.
    pub fn note(&self, path: &JailPath, text: Option<&str>) {
        match text {
            Some(text) => drop(self.0.put(path.as_str().to_owned(), blake3::hash(text.as_bytes()))),
            None => self.0.remove(path.as_str()),
        }
    }

    /// Whether this content is what this kernel wrote last.
    pub fn wrote(&self, path: &JailPath, content: &[u8]) -> bool {
        self.0.get(path.as_str()).is_some_and(|known| known == blake3::hash(content))
    }
}

#[cfg(test)]
mod tests {
    use super::WrittenHashes;
    use tgp_vfs::JailPath;

    #[test]
    fn only_the_last_written_text_is_remembered() {
        let own = WrittenHashes::default();
        let (a, b) = (JailPath::parse("tools/a.ts").unwrap(), JailPath::parse("tools/b.ts").unwrap());
        own.note(&a, Some("one"));
        assert!(own.wrote(&a, b"one"));
        assert!(!own.wrote(&b, b"one"));
        own.note(&a, Some("two"));
        assert!(!own.wrote(&a, b"one"));
        own.note(&a, None);
        assert!(!own.wrote(&a, b"two"));
    }
}
