//! A [`Vfs`] in memory, with the same behaviour as the one on disk.

use super::jail_path::JailPath;
use super::vfs::{DEFAULT_MAX_FILE_BYTES, Vfs};
use super::vfs_error::VfsError;
use parking_lot::RwLock;
use std::collections::BTreeMap;
use std::ops::Bound;

#[derive(Debug)]
pub struct MemoryVfs {
    files: RwLock<BTreeMap<JailPath, String>>,
    max_file_bytes: usize,
}

impl MemoryVfs {
    #[must_use]
    pub const fn new() -> Self {
        Self { files: RwLock::new(BTreeMap::new()), max_file_bytes: DEFAULT_MAX_FILE_BYTES }
    }

    /// Sets the size limit of a file.
    #[must_use]
    pub fn with_max_file_bytes(self, max_file_bytes: usize) -> Self {
        Self { max_file_bytes, ..self }
    }

    fn check_limits(&self, files: &BTreeMap<JailPath, String>, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        if content.len() > self.max_file_bytes {
            return Err(VfsError::too_large(path.as_str(), self.max_file_bytes));
        }
        if is_directory(files, path) {
            return Err(VfsError::not_a_file(path.as_str()));
        }
        let mut ancestor = path.parent();
        while let Some(dir) = ancestor {
            if files.contains_key(&dir) {
                return Err(VfsError::not_a_directory(path.as_str()));
            }
            ancestor = dir.parent();
        }
        Ok(())
    }
}

impl Default for MemoryVfs {
    fn default() -> Self {
        Self::new()
    }
}

impl Vfs for MemoryVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        path.refuse_git()?;
        let files = self.files.read();
        match files.get(path) {
            Some(content) if content.len() > self.max_file_bytes => {
                Err(VfsError::too_large(path.as_str(), self.max_file_bytes))
            }
            Some(content) => Ok(content.clone()),
            None if is_directory(&files, path) => Err(VfsError::not_a_file(path.as_str())),
            None => Err(VfsError::not_found(path.as_str())),
        }
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        let mut files = self.files.write();
        self.check_limits(&files, path, content)?;
        files.insert(path.clone(), content.to_owned());
        Ok(())
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        self.check_limits(&self.files.read(), path, content)
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        let mut files = self.files.write();
        if is_directory(&files, path) {
            return Err(VfsError::not_a_file(path.as_str()));
        }
        files.remove(path);
        Ok(())
    }

    fn exists(&self, path: &JailPath) -> Result<bool, VfsError> {
        path.refuse_git()?;
        Ok(self.files.read().contains_key(path))
    }

    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError> {
        dir.refuse_git()?;
        let files = self.files.read();
        if files.contains_key(dir) {
            return Err(VfsError::not_a_directory(dir.as_str()));
        }
        Ok(below(&files, dir).cloned().collect())
    }
}

fn is_directory(files: &BTreeMap<JailPath, String>, path: &JailPath) -> bool {
    path.is_root() || below(files, path).next().is_some()
}

/// All files below `dir`. Names such as `a-b` sort between `a` and `a/b`, so the range also contains unrelated files.
fn below<'a>(files: &'a BTreeMap<JailPath, String>, dir: &'a JailPath) -> impl Iterator<Item = &'a JailPath> {
    files
        .range((Bound::Excluded(dir.clone()), Bound::Unbounded))
        .map(|(path, _)| path)
        .take_while(|path| path.as_str().starts_with(dir.as_str()))
        .filter(|path| path.starts_with(dir.as_str()))
}
