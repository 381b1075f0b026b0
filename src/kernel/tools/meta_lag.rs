//! How far the committed `meta.json` is behind the tools. Asked without waiting for anything.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// `meta.json` as it is on disk now. Whoever commits it says so.
#[must_use = "what is not committed stays behind"]
pub struct MetaText {
    pub text: String,
    /// How many registered changes came with it.
    brings: usize,
}

#[derive(Default)]
pub struct MetaLag {
    /// Registered changes that no committed `meta.json` has.
    behind: AtomicUsize,
    /// Whether anything was registered since the boot.
    has_registered: AtomicBool,
    /// Whether `meta.json` may have become somebody else's since it was last made here.
    is_overtaken: AtomicBool,
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
        self.is_overtaken.store(true, Ordering::Relaxed);
    }

    /// Has `meta.json` made anew, with all that was registered so far.
    pub fn bring_along<E>(&self, make: impl FnOnce() -> Result<Option<String>, E>) -> Result<Option<MetaText>, E> {
        let brings = self.behind.load(Ordering::Relaxed);
        let was_overtaken = self.is_overtaken.swap(false, Ordering::Relaxed);
        let made = make();
        if was_overtaken && made.is_err() {
            self.overtaken();
        }
        Ok(made?.map(|text| MetaText { text, brings }))
    }

    /// The history has this `meta.json` now.
    pub fn committed(&self, meta: &MetaText) {
        // What another commit has brought along meanwhile is not counted twice.
        let left = |behind: usize| Some(behind.saturating_sub(meta.brings));
        let _before = self.behind.fetch_update(Ordering::Relaxed, Ordering::Relaxed, left);
    }

    /// Registered changes that no committed `meta.json` has.
    pub fn behind(&self) -> usize {
        self.behind.load(Ordering::Relaxed)
    }

    /// Whether the committed `meta.json` lacks, or may lack, anything that was registered here.
    pub fn is_behind(&self) -> bool {
        let may_lack = self.has_registered.load(Ordering::Relaxed) && self.is_overtaken.load(Ordering::Relaxed);
        may_lack || self.behind() > 0
    }
}

#[cfg(test)]
mod tests {
    use super::MetaLag;

    fn made(lag: &MetaLag) -> super::MetaText {
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
        lag.committed(&meta);
        assert_eq!(lag.behind(), 0, "and nothing is counted below none");
        lag.registered();
        assert!(lag.is_behind());
    }

    #[test]
    fn others_commits_count_only_where_something_was_registered() {
        let lag = MetaLag::default();
        lag.overtaken();
        assert!(!lag.is_behind());
        lag.registered();
        lag.committed(&made(&lag));
        assert!(!lag.is_behind());
        lag.overtaken();
        assert!(lag.is_behind());
        assert!(lag.bring_along(|| Err::<Option<String>, ()>(())).is_err());
        assert!(lag.is_behind(), "it was not made");
        lag.committed(&made(&lag));
        assert!(!lag.is_behind());
    }
}
