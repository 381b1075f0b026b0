//! How far the committed `meta.json` is behind the tools. Asked without waiting for anything.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// `meta.json` as it is on disk now. Whoever commits it says so.
#[must_use = "what is not committed stays behind"]
pub struct MetaText {
    pub text: String,
    /// How many registered changes came with it.
    brings: usize,
    /// How often others' commits had come in when it was made.
    follows: usize,
}

#[derive(Default)]
pub struct MetaLag {
    /// Registered changes that no committed `meta.json` has.
    behind: AtomicUsize,
    /// Whether anything was registered since the boot.
    has_registered: AtomicBool,
    /// How often others' commits have come in, and how many of these times the committed `meta.json` follows.
    overtaken: AtomicUsize,
    followed: AtomicUsize,
}

impl MetaLag {
    /// A tool was registered.
    pub fn registered(&self) {
        self.behind.fetch_add(1, Ordering::Relaxed);
        self.has_registered.store(true, Ordering::Relaxed);
    }

    /// Others' commits have come in. Theirs and ours may both have had a `meta.json`, each without the other's tools, and
    /// only one of the two is there now.
    pub fn overtaken(&self) {
        self.overtaken.fetch_add(1, Ordering::Relaxed);
    }

    /// Has `meta.json` made anew, with all that was registered so far.
    pub fn bring_along<E>(&self, make: impl FnOnce() -> Result<Option<String>, E>) -> Result<Option<MetaText>, E> {
        let (brings, follows) = (self.behind(), self.overtaken.load(Ordering::Relaxed));
        Ok(make()?.map(|text| MetaText { text, brings, follows }))
    }

    /// The history has this `meta.json` now.
    pub fn committed(&self, meta: &MetaText) {
        // What another commit has brought along meanwhile is not counted twice.
        let left = |behind: usize| Some(behind.saturating_sub(meta.brings));
        let _before = self.behind.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
        self.followed.fetch_max(meta.follows, Ordering::Relaxed);
    }

    /// Registered changes that no committed `meta.json` has.
    pub fn behind(&self) -> usize {
        self.behind.load(Ordering::Relaxed)
    }

    /// Whether the committed `meta.json` lacks, or may lack, anything that was registered here.
    pub fn is_behind(&self) -> bool {
        let may_lack = self.overtaken.load(Ordering::Relaxed) > self.followed.load(Ordering::Relaxed);
        self.behind() > 0 || (may_lack && self.has_registered.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::{MetaLag, MetaText};

    fn made(lag: &MetaLag) -> MetaText {
        lag.bring_along(|| Ok::<_, ()>(Some(String::new()))).unwrap().unwrap()
    }

    #[test]
    fn what_is_made_and_not_committed_stays_behind() {
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
    fn others_commits_count_where_something_was_registered_and_until_one_follows() {
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
