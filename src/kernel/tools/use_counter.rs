//! How often tools were run, stored every now and then.

use crate::kernel::private_files::PrivateFiles;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use tgp_registry::UseCounts;

/// Runs after which the counts are stored.
const STORE_EVERY: u64 = 64;
const FILE: &str = "tool-uses.json";

pub struct UseCounter {
    private: PrivateFiles,
    /// `None` until first needed.
    counts: Mutex<Option<UseCounts>>,
}

impl UseCounter {
    pub fn new(private: PrivateFiles) -> Self {
        Self { private, counts: Mutex::default() }
    }

    /// The counts, which nobody changes meanwhile.
    pub fn counts(&self) -> MappedMutexGuard<'_, UseCounts> {
        MutexGuard::map(self.counts.lock(), |counts| {
            counts.get_or_insert_with(|| UseCounts::read(&self.private.read(FILE)))
        })
    }

    /// Counts a run, and tells how many there were before.
    pub fn count(&self, path: &str) -> u64 {
        let mut counts = self.counts();
        let before = counts.of(path);
        counts.count(path);
        if counts.unstored() >= STORE_EVERY {
            self.write(&mut counts);
        }
        before
    }

    /// Stores what was counted since the last time.
    pub fn store(&self) {
        let mut counts = self.counts();
        if counts.unstored() > 0 {
            self.write(&mut counts);
        }
    }

    fn write(&self, counts: &mut UseCounts) {
        let text = counts.store(&self.private.read(FILE));
        self.private.write(FILE, &text);
    }
}
