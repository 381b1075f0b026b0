//! Lock-free tracking of how far the committed `meta.json` is behind the tools.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The current `meta.json` on disk. Its commit must be reported.
#[must_use = "what is not committed stays behind"]
pub struct MetaText {
    pub text: String,
    /// The number of registered changes that it includes.
    brings: usize,
    /// The number of pulls before it was generated.
    follows: usize,
}

#[derive(Default)]
pub struct MetaLag {
    /// Registered changes that are in no committed `meta.json`.
    behind: AtomicUsize,
    /// Whether anything was registered since the boot.
    has_registered: AtomicBool,
    /// The number of pulls, and how many of them the committed `meta.json` includes.
    overtaken: AtomicUsize,
    followed: AtomicUsize,
}

impl MetaLag {
    /// Counts a registered tool.
    pub fn registered(&self) {
        self.behind.fetch_add(1, Ordering::Relaxed);
        self.has_registered.store(true, Ordering::Relaxed);
    }

    /// Counts a pull. Both sides may have changed `meta.json`, each without the other's tools, and only one of them
    /// remains.
    pub fn overtaken(&self) {
        self.overtaken.fetch_add(1, Ordering::Relaxed);
    }

    /// Regenerates `meta.json` with all registered changes.
    pub fn regenerate<E>(&self, make: impl FnOnce() -> Result<Option<String>, E>) -> Result<Option<MetaText>, E> {
        let (brings, follows) = (self.behind(), self.overtaken.load(Ordering::Relaxed));
        Ok(make()?.map(|text| MetaText { text, brings, follows }))
    }

    /// This `meta.json` was committed.
    pub fn committed(&self, meta: &MetaText) {
        // Changes that another commit included meanwhile are not counted twice.
        let left = |behind: usize| Some(behind.saturating_sub(meta.brings));
        let _before = self.behind.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        self.followed.fetch_max(meta.follows, Ordering::Relaxed);
    }

    /// Registered changes that are in no committed `meta.json`.
    pub fn behind(&self) -> usize {
        self.behind.load(Ordering::Relaxed)
    }

    /// Whether the committed `meta.json` may lack registered changes.
    pub fn is_behind(&self) -> bool {
        let may_lack = self.overtaken.load(Ordering::Relaxed) > self.followed.load(Ordering::Relaxed);
        self.behind() > 0 || (may_lack && self.has_registered.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::{MetaLag, MetaText};

    fn made(lag: &MetaLag) -> MetaText {
        lag.regenerate(|| Ok::<_, ()>(Some(String::new()))).unwrap().unwrap()
    }

    #[test]
    fn a_generated_meta_json_counts_only_when_committed() {
        let lag = MetaLag::default();
        lag.registered();
        drop(made(&lag));
        assert!(lag.is_behind());
        let meta = made(&lag);
        lag.registered();
        lag.committed(&meta);
        assert_eq!(lag.behind(), 1, "the later one");
        lag.committed(&made(&lag));
        lag.committed(&meta);
        assert!(!lag.is_behind(), "and nothing is counted below none");
        lag.registered();
        assert!(lag.is_behind());
    }

    #[test]
    fn pulls_count_after_a_registration_until_the_next_commit() {
        let lag = MetaLag::default();
        lag.overtaken();
        assert!(!lag.is_behind());
        lag.registered();
        lag.committed(&made(&lag));
        assert!(!lag.is_behind());
        lag.overtaken();
        let meta = made(&lag);
        assert!(lag.is_behind(), "made, and not committed yet");
        lag.overtaken();
        lag.committed(&meta);
        assert!(lag.is_behind(), "others were faster");
        lag.committed(&made(&lag));
        assert!(!lag.is_behind());
    }
}
