//! How much a root may hold in all.

use super::disk_vfs::DiskVfs;
use super::jail_path::JailPath;
use super::usage::Usage;
use super::vfs_error::{Room, VfsError};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long a count of the root is relied on. Other processes change files as well, so that it becomes wrong with time.
const COUNTED_FOR: Duration = Duration::from_secs(30);

/// Lets a file be written only if it fits into the root. A file that makes the root smaller always fits.
#[derive(Debug)]
pub struct RootQuota {
    limit: Usage,
    /// What was there when it was last counted, and when that was.
    counted: Mutex<Option<(Usage, Instant)>>,
}

impl RootQuota {
    #[must_use]
    pub fn new(limit: Usage) -> Self {
        Self { limit, counted: Mutex::default() }
    }

    /// Calls `write`, which gives the file at `path` so many bytes, if the root has room for them.
    ///
    /// # Errors
    /// `Quota`, and what `write` fails with.
    pub fn write(
        &self,
        root: &DiskVfs,
        path: &JailPath,
        bytes: usize,
        write: impl FnOnce() -> Result<(), VfsError>,
    ) -> Result<(), VfsError> {
        let mut counted = self.counted.lock();
        let after = self.room(&mut counted, root, path, bytes)?;
        write()?;
        *counted = counted.map(|(_, at)| (after, at));
        Ok(())
    }

    /// Whether the root has room for so many bytes at `path`.
    ///
    /// # Errors
    /// `Quota`.
    pub fn check(&self, root: &DiskVfs, path: &JailPath, bytes: usize) -> Result<(), VfsError> {
        self.room(&mut self.counted.lock(), root, path, bytes).map(|_| ())
    }

    /// What the root would hold with so many bytes at `path`, if it has room for them.
    fn room(
        &self,
        counted: &mut Option<(Usage, Instant)>,
        root: &DiskVfs,
        path: &JailPath,
        bytes: usize,
    ) -> Result<Usage, VfsError> {
        let replaced = root.size_of(path)?;
        let after = |before: Usage| Usage {
            bytes: before.bytes.saturating_sub(replaced.unwrap_or_default()) + bytes as u64,
            files: before.files + u64::from(replaced.is_none()),
        };
        let known = counted.filter(|(_, at)| at.elapsed() < COUNTED_FOR);
        let before = match known {
            Some((usage, _)) if self.excess(usage, after(usage)).is_none() => usage,
            // A refusal is never based on an old count.
            Some(_) | None => {
                let usage = root.usage()?;
                *counted = Some((usage, Instant::now()));
                usage
            }
        };
        if let Some((what, limit)) = self.excess(before, after(before)) {
            return Err(VfsError::quota(path.as_str(), Room::Root, what, limit));
        }
        Ok(after(before))
    }

    fn excess(&self, before: Usage, after: Usage) -> Option<(&'static str, u64)> {
        let grows_over = |before, after, limit| after > limit && after > before;
        if grows_over(before.files, after.files, self.limit.files) {
            return Some(("files", self.limit.files));
        }
        grows_over(before.bytes, after.bytes, self.limit.bytes).then_some(("bytes", self.limit.bytes))
    }
}

#[cfg(test)]
mod tests {
    use super::{RootQuota, Usage};
    use crate::{DiskVfs, JailPath, Vfs, VfsError};

    #[test]
    fn growth_stops_at_either_limit_and_shrinking_never_does() {
        let folder = tempfile::tempdir().unwrap();
        let root = DiskVfs::open(folder.path()).unwrap();
        let quota = RootQuota::new(Usage { bytes: 10, files: 2 });
        let write = |path: &str, text: &str| {
            let path = JailPath::parse(path).unwrap();
            quota.write(&root, &path, text.len(), || root.write(&path, text))
        };
        write("a", "12345").unwrap();
        write("b/c", "12345").unwrap();
        assert!(matches!(write("d", ""), Err(VfsError::Quota { limit: 2, .. })));
        assert!(matches!(write("a", "123456"), Err(VfsError::Quota { limit: 10, .. })));
        assert_eq!(root.read(&JailPath::parse("a").unwrap()).unwrap(), "12345");
        write("a", "1234").unwrap();
        write("a", "54321").unwrap();
        assert_eq!(root.usage().unwrap(), Usage { bytes: 10, files: 2 });
    }

    #[test]
    fn what_others_put_there_counts_and_what_they_removed_is_room() {
        let folder = tempfile::tempdir().unwrap();
        let root = DiskVfs::open(folder.path()).unwrap();
        let quota = RootQuota::new(Usage { bytes: 10, files: 9 });
        let write = |path: &str, text: &str| {
            let path = JailPath::parse(path).unwrap();
            quota.write(&root, &path, text.len(), || root.write(&path, text))
        };
        std::fs::write(folder.path().join("theirs"), "123456789").unwrap();
        assert!(write("a", "12").is_err());
        std::fs::remove_file(folder.path().join("theirs")).unwrap();
        write("a", "12").unwrap();
        std::fs::create_dir(folder.path().join(".git")).unwrap();
        std::fs::write(folder.path().join(".git/objects"), "x".repeat(100)).unwrap();
        write("b", "12345678").unwrap();
    }

    #[test]
    fn a_root_that_is_over_its_limit_may_still_be_made_smaller() {
        let folder = tempfile::tempdir().unwrap();
        let root = DiskVfs::open(folder.path()).unwrap();
        std::fs::write(folder.path().join("large"), "x".repeat(100)).unwrap();
        let quota = RootQuota::new(Usage { bytes: 10, files: 1 });
        let write = |path: &str, text: &str| {
            let path = JailPath::parse(path).unwrap();
            quota.write(&root, &path, text.len(), || root.write(&path, text))
        };
        assert!(write("b", "").is_err());
        write("large", &"x".repeat(99)).unwrap();
        write("large", "x").unwrap();
    }
}
