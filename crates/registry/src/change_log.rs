//! A log of inserted and removed tools by version, so that a follower reads only the difference.

use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Unbounded};

/// The most removals that are kept: a follower that is further behind reads all tools.
const MAX_REMOVED: usize = if cfg!(test) { 64 } else { 4096 };

#[derive(Default)]
pub(super) struct ChangeLog {
    /// Each existing tool by the version of its last change.
    present: BTreeMap<u32, String>,
    removed: BTreeMap<u32, String>,
    /// Removals up to this version are not kept.
    floor: u32,
}

impl ChangeLog {
    /// Records a write at `version`; `before` is the version of the previous write.
    pub(super) fn inserted(&mut self, path: &str, version: u32, before: Option<u32>) {
        if let Some(before) = before {
            self.present.remove(&before);
        }
        self.present.insert(version, path.to_owned());
    }

    /// Records a removal at `version`; `before` is the version of the last write.
    pub(super) fn removed(&mut self, path: &str, version: u32, before: u32) {
        self.present.remove(&before);
        self.removed.insert(version, path.to_owned());
        if self.removed.len() > MAX_REMOVED
            && let Some((oldest, _)) = self.removed.pop_first()
        {
            self.floor = oldest;
        }
    }

    /// Whether all removals after a version are known.
    pub(super) const fn reaches(&self, version: u32) -> bool {
        version >= self.floor
    }

    /// The tools that changed after a version, oldest change first.
    pub(super) fn present_after(&self, version: u32) -> impl DoubleEndedIterator<Item = &str> {
        self.present.range((Excluded(version), Unbounded)).map(|(_, path)| path.as_str())
    }

    /// The tools removed after a version; they may exist again.
    pub(super) fn removed_after(&self, version: u32) -> impl Iterator<Item = &str> {
        self.removed.range((Excluded(version), Unbounded)).map(|(_, path)| path.as_str())
    }
}
