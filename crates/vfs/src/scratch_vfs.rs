//! Scratch files of one run: in memory, with a quota, dropped with the run.

use super::jail_path::JailPath;
use super::memory_vfs::MemoryVfs;
use super::vfs::Vfs;
use super::vfs_error::{QuotaScope, VfsError};
use parking_lot::Mutex;
use std::collections::HashMap;

/// Limits of a scratch folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScratchQuota {
    pub bytes: usize,
    pub files: usize,
}

#[derive(Debug)]
pub struct ScratchVfs {
    files: MemoryVfs,
    quota: ScratchQuota,
    /// The size of each file. Locked during a write, so that concurrent writes cannot use the same quota.
    sizes: Mutex<HashMap<JailPath, usize>>,
}

impl ScratchVfs {
    #[must_use]
    pub fn new(quota: ScratchQuota) -> Self {
        let files = MemoryVfs::new().with_max_file_bytes(quota.bytes);
        Self { files, quota, sizes: Mutex::default() }
    }
}

impl Vfs for ScratchVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        self.files.read(path)
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        let mut sizes = self.sizes.lock();
        let others: usize = sizes.iter().filter(|(known, _)| *known != path).map(|(_, size)| size).sum();
        if others.saturating_add(content.len()) > self.quota.bytes {
            return Err(VfsError::quota(path.as_str(), QuotaScope::Scratch, "bytes", self.quota.bytes as u64));
        }
        if !sizes.contains_key(path) && sizes.len() >= self.quota.files {
            return Err(VfsError::quota(path.as_str(), QuotaScope::Scratch, "files", self.quota.files as u64));
        }
        self.files.write(path, content)?;
        sizes.insert(path.clone(), content.len());
        Ok(())
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        self.files.check_write(path, content)
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        let mut sizes = self.sizes.lock();
        self.files.remove(path)?;
        sizes.remove(path);
        Ok(())
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
    use super::{ScratchQuota, ScratchVfs};
    use crate::{JailPath, Vfs};

    #[test]
    fn removing_a_file_frees_its_quota() {
        let scratch = ScratchVfs::new(ScratchQuota { bytes: 10, files: 2 });
        let path = |text: &str| JailPath::parse(text).unwrap();
        scratch.write(&path("a"), "12345").unwrap();
        scratch.write(&path("a"), "1234567890").unwrap();
        assert!(scratch.write(&path("b"), "1").is_err());
        scratch.write(&path("a"), "").unwrap();
        scratch.write(&path("b"), "1").unwrap();
        assert!(scratch.write(&path("c"), "").is_err());
        scratch.remove(&path("b")).unwrap();
        scratch.write(&path("c"), "1234567890").unwrap();
    }
}
