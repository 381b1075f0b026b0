//! The quota of a root: total bytes and number of files.

use super::disk_vfs::DiskVfs;
use super::jail_path::JailPath;
use super::usage::Usage;
use super::vfs_error::{QuotaScope, VfsError};
use parking_lot::Mutex;
use std::time::{Duration, Instant};

/// How long a usage count is reused. Other processes change files too, so a count becomes outdated.
const COUNT_TTL: Duration = Duration::from_secs(30);

/// Refuses writes that would exceed the limit. A write that shrinks the root is always allowed.
#[derive(Debug)]
pub struct RootQuota {
    limit: Usage,
    /// The last usage count and its time.
    counted: Mutex<Option<(Usage, Instant)>>,
}

impl RootQuota {
    #[must_use]
    pub fn new(limit: Usage) -> Self {
        Self { limit, counted: Mutex::default() }
    }

    /// Calls `write`, which sets the file at `path` to `bytes` bytes, if the quota allows it.
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
        let after = self.usage_after(&mut counted, root, path, bytes)?;
        write()?;
        *counted = counted.map(|(_, at)| (after, at));
        Ok(())
    }

    /// Checks whether the quota allows `bytes` bytes at `path`.
    ///
    /// # Errors
    /// `Quota`.
    pub fn check(&self, root: &DiskVfs, path: &JailPath, bytes: usize) -> Result<(), VfsError> {
        self.usage_after(&mut self.counted.lock(), root, path, bytes).map(|_| ())
    }

    /// The usage after setting the file at `path` to `bytes` bytes, if the quota allows it.
    fn usage_after(
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
        let known = counted.filter(|(_, at)| at.elapsed() < COUNT_TTL);
        let before = match known {
            Some((usage, _)) if self.excess(usage, after(usage)).is_none() => usage,
            // A write is never refused because of an outdated count.
            Some(_) | None => {
                let usage = root.usage()?;
                *counted = Some((usage, Instant::now()));
                usage
            }
        };
        if let Some((what, limit)) = self.excess(before, after(before)) {
            return Err(VfsError::quota(path.as_str(), QuotaScope::Root, what, limit));
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
    fn growth_is_limited_in_bytes_and_files_and_shrinking_is_not() {
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
    fn changes_of_other_processes_are_counted() {
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
    fn a_root_over_its_limit_can_shrink() {
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
