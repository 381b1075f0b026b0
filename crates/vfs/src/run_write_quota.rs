//! The write quota of a run for folders that outlive it.

use super::application_marker::is_application_marker;
use super::jail_path::JailPath;
use super::vfs::Vfs;
use super::vfs_error::{QuotaScope, VfsError, Violation};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// Limits and usage of a run and its child runs.
#[derive(Debug)]
pub struct RunWriteQuota {
    max_bytes: u64,
    max_files: u64,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    bytes: u64,
    /// Folder and path of each file.
    files: HashSet<(String, JailPath)>,
}

impl RunWriteQuota {
    #[must_use]
    pub fn new(max_bytes: u64, max_files: u64) -> Self {
        Self { max_bytes, max_files, written: Mutex::default() }
    }
}

/// A folder whose writes are counted against the quota. Application markers cannot be written at its top level.
pub struct QuotaVfs {
    name: String,
    files: Arc<dyn Vfs>,
    writes: Arc<RunWriteQuota>,
}

impl QuotaVfs {
    #[must_use]
    pub fn new(name: &str, files: Arc<dyn Vfs>, writes: Arc<RunWriteQuota>) -> Self {
        Self { name: name.to_owned(), files, writes }
    }
}

impl Vfs for QuotaVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        self.files.read(path)
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        if path.segments().next().is_some_and(is_application_marker) {
            return Err(VfsError::violation(path.as_str(), Violation::Application));
        }
        let RunWriteQuota { max_bytes, max_files, written } = &*self.writes;
        let file = (self.name.clone(), path.clone());
        // Held during the write, so that concurrent writes cannot use the same quota.
        let mut written = written.lock();
        let bytes = written.bytes.saturating_add(content.len() as u64);
        if bytes > *max_bytes {
            return Err(VfsError::quota(path.as_str(), QuotaScope::Run, "bytes", *max_bytes));
        }
        if !written.files.contains(&file) && written.files.len() as u64 >= *max_files {
            return Err(VfsError::quota(path.as_str(), QuotaScope::Run, "files", *max_files));
        }
        self.files.write(path, content)?;
        written.bytes = bytes;
        written.files.insert(file);
        Ok(())
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        self.files.check_write(path, content)
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        self.files.remove(path)
    }

    fn exists(&self, path: &JailPath) -> Result<bool, VfsError> {
        self.files.exists(path)
    }

    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError> {
        self.files.list(dir)
    }
}

#[cfg(test)]
mod tests {
    use super::{QuotaVfs, RunWriteQuota};
    use crate::{JailPath, MemoryVfs, Vfs, VfsError};
    use std::sync::Arc;

    #[test]
    fn all_folders_of_a_run_share_one_quota() {
        let writes = Arc::new(RunWriteQuota::new(10, 2));
        let folder = |name| QuotaVfs::new(name, Arc::new(MemoryVfs::new()), Arc::clone(&writes));
        let (one, two) = (folder("one"), folder("two"));
        let path = |text: &str| JailPath::parse(text).unwrap();
        one.write(&path("a"), "1234").unwrap();
        one.write(&path("a"), "1234").unwrap();
        two.write(&path("a"), "1").unwrap();
        assert!(matches!(two.write(&path("b"), ""), Err(VfsError::Quota { limit: 2, .. })));
        assert!(matches!(two.write(&path("a"), "12"), Err(VfsError::Quota { limit: 10, .. })));
        assert_eq!(two.read(&path("a")).unwrap(), "1");
        two.write(&path("a"), "2").unwrap();
    }

    #[test]
    fn application_markers_are_refused_at_the_top_level() {
        let folder = QuotaVfs::new("one", Arc::new(MemoryVfs::new()), Arc::new(RunWriteQuota::new(u64::MAX, u64::MAX)));
        let write = |text: &str| folder.write(&JailPath::parse(text).unwrap(), "");
        for path in ["package.json", "node_modules/x.js", "tgp.config.json", ".env"] {
            assert!(matches!(write(path), Err(VfsError::SecurityViolation { .. })), "{path}");
        }
        write("made/package.json").unwrap();
    }
}
