//! Which tools came and went with which version: a follower reads the difference, and not every tool again.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// Removals that are kept: a follower that is behind by more reads every tool again.
const MAX_REMOVED: usize = if cfg!(test) { 64 } else { 4096 };

#[derive(Default)]
pub(super) struct ChangeLog {
    /// Each tool that there is, by the version with which it last changed.
    present: BTreeMap<u32, String>,
    removed: BTreeMap<u32, String>,
    /// Up to this version removals are forgotten.
    floor: u32,
}

impl ChangeLog {
    /// A tool was written with `version`, last before that with `before`.
    pub(super) fn inserted(&mut self, path: &str, version: u32, before: Option<u32>) {
        if let Some(before) = before {
            self.present.remove(&before);
        }
        self.present.insert(version, path.to_owned());
    }

    /// A tool that was last written with `before` went with `version`.
    pub(super) fn removed(&mut self, path: &str, version: u32, before: u32) {
        self.present.remove(&before);
        self.removed.insert(version, path.to_owned());
        if self.removed.len() > MAX_REMOVED
            && let Some((oldest, _)) = self.removed.pop_first()
        {
            self.floor = oldest;
        }
    }

    /// Whether all that went after a version is known.
    pub(super) const fn reaches(&self, version: u32) -> bool {
        version >= self.floor
    }

    /// The tools that changed after a version, oldest change first.
    pub(super) fn present_after(&self, version: u32) -> impl DoubleEndedIterator<Item = &str> {
        self.present.range((Excluded(version), Unbounded)).map(|(_, path)| path.as_str())
    }

    /// What went after a version; it may have come back.
    pub(super) fn removed_after(&self, version: u32) -> impl Iterator<Item = &str> {
        self.removed.range((Excluded(version), Unbounded)).map(|(_, path)| path.as_str())
    }
}
