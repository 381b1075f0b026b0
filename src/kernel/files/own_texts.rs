//! What this kernel has put into files itself. A text that is still what it wrote is nobody's work that could get lost.

use crate::kernel::bounded_cache::BoundedCache;
use tgp_vfs::JailPath;

/// Files remembered at one time. What is forgotten costs the next write a look into the history.
const MAX_FILES: usize = 16_384;

/// By path, the hash of the text that was written there last.
pub struct OwnTexts(BoundedCache<String, blake3::Hash>);

impl Default for OwnTexts {
    fn default() -> Self {
        Self(BoundedCache::new(MAX_FILES))
    }
}

impl OwnTexts {
    /// Remembers what a file was made; `None` when it was removed.
    pub fn note(&self, path: &JailPath, text: Option<&str>) {
        match text {
            Some(text) => drop(self.0.put(path.as_str().to_owned(), blake3::hash(text.as_bytes()))),
            None => self.0.remove(path.as_str()),
        }
    }

    /// Whether a file that holds this is as this kernel wrote it.
    pub fn wrote(&self, path: &JailPath, content: &[u8]) -> bool {
        self.0.get(path.as_str()).is_some_and(|known| known == blake3::hash(content))
    }
}

#[cfg(test)]
mod tests {
    use super::OwnTexts;
    use tgp_vfs::JailPath;

    #[test]
    fn only_the_last_text_of_a_file_is_own() {
        let own = OwnTexts::default();
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
