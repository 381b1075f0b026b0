//! Use counts of tools, stored periodically.

use crate::kernel::private_files::PrivateFiles;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use std::sync::atomic::{AtomicU32, Ordering};
use tgp_registry::UseCounts;

const FILE: &str = "tool-uses.json";

pub struct UseCounter {
    private: PrivateFiles,
    /// `None` until first needed.
    counts: Mutex<Option<UseCounts>>,
    /// Changes whenever the counts do.
    version: AtomicU32,
    /// Locked while the counts are stored, which does not block counting.
    storing: Mutex<()>,
}

impl UseCounter {
    pub fn new(private: PrivateFiles) -> Self {
        Self { private, counts: Mutex::default(), version: AtomicU32::new(0), storing: Mutex::default() }
    }

    /// The counts, locked.
    pub fn counts(&self) -> MappedMutexGuard<'_, UseCounts> {
        MutexGuard::map(self.counts.lock(), |counts| {
            counts.get_or_insert_with(|| UseCounts::read(&self.private.read(FILE)))
        })
    }

    /// The counts of all used tools, with their version; none if that is `since`.
    pub fn since(&self, since: Option<u32>) -> (u32, Option<Vec<(String, u64)>>) {
        let counts = self.counts();
        let version = self.version.load(Ordering::Relaxed);
        let owned = || counts.most_used().into_iter().map(|(path, count)| (path.to_owned(), count)).collect();
        (version, (since != Some(version)).then(owned))
    }

    /// Counts a run; returns the number of runs before it.
    pub fn count(&self, path: &str) -> u64 {
        let mut counts = self.counts();
        let before = counts.of(path);
        counts.count(path);
        self.version.fetch_add(1, Ordering::Relaxed);
        before
    }

    /// Stores new counts, merged with those of other processes.
    pub fn store(&self) {
        let _storing = self.storing.lock();
        if self.counts().unstored() == 0 {
            return;
        }
        let stored = self.private.read(FILE);
        let text = self.counts().store(&stored);
        self.version.fetch_add(1, Ordering::Relaxed);
        self.private.write(FILE, &text);
    }
}
