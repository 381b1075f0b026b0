//! A copy-on-write overlay: writes stay in memory and are visible only through the overlay.

use super::jail_path::JailPath;
use super::vfs::Vfs;
use super::vfs_error::VfsError;
use parking_lot::RwLock;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

pub struct OverlayVfs {
    below: Arc<dyn Vfs>,
    max_file_bytes: usize,
    /// Written files; `None` for a removed one.
    above: RwLock<BTreeMap<JailPath, Option<String>>>,
}

/// A file that differs from the one below.
#[derive(Debug, PartialEq, Eq)]
pub struct OverlayChange {
    pub path: JailPath,
    pub before: Option<String>,
    pub after: Option<String>,
}

impl OverlayVfs {
    #[must_use]
    pub fn new(below: Arc<dyn Vfs>, max_file_bytes: usize) -> Self {
        Self { below, max_file_bytes, above: RwLock::default() }
    }

    /// Every file written or removed in the overlay, sorted by path. A file below that is not readable text counts as missing.
    ///
    /// # Errors
    /// `SecurityViolation`, `Io`.
    pub fn changes(&self) -> Result<Vec<OverlayChange>, VfsError> {
        let above = self.above.read();
        let change = |(path, after): (&JailPath, &Option<String>)| {
            let before = match self.below.read(path) {
                Ok(text) => Some(text),
                Err(VfsError::NotFound { .. } | VfsError::NotText { .. } | VfsError::TooLarge { .. }) => None,
                Err(error) => return Err(error),
            };
            Ok(OverlayChange { path: path.clone(), before, after: after.clone() })
        };
        above.iter().map(change).collect()
    }
}

impl Vfs for OverlayVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        match self.above.read().get(path) {
            Some(Some(text)) => Ok(text.clone()),
            Some(None) => Err(VfsError::not_found(path.as_str())),
            None => self.below.read(path),
        }
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        self.check_write(path, content)?;
        self.above.write().insert(path.clone(), Some(content.to_owned()));
        Ok(())
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        if content.len() > self.max_file_bytes {
            return Err(VfsError::too_large(path.as_str(), self.max_file_bytes));
        }
        self.below.check_write(path, content)?;
        let above = self.above.read();
        let mut written = above.iter().filter(|(_, text)| text.is_some()).map(|(known, _)| known);
        if written.any(|known| known != path && known.starts_with(path.as_str())) {
            return Err(VfsError::not_a_file(path.as_str()));
        }
        let mut ancestor = path.parent();
        while let Some(dir) = ancestor {
            if above.get(&dir).is_some_and(Option::is_some) {
                return Err(VfsError::not_a_directory(path.as_str()));
            }
            ancestor = dir.parent();
        }
        Ok(())
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        if self.exists(path)? {
            self.above.write().insert(path.clone(), None);
        }
        Ok(())
    }

    fn exists(&self, path: &JailPath) -> Result<bool, VfsError> {
        match self.above.read().get(path) {
            Some(text) => Ok(text.is_some()),
            None => self.below.exists(path),
        }
    }

    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError> {
        let above = self.above.read();
        if above.get(dir).is_some_and(Option::is_some) {
            return Err(VfsError::not_a_directory(dir.as_str()));
        }
        let mut files: BTreeSet<JailPath> = self.below.list(dir)?.into_iter().collect();
        for (path, text) in above.iter().filter(|(path, _)| dir.is_root() || path.starts_with(dir.as_str())) {
            if text.is_some() {
                files.insert(path.clone());
            } else {
                files.remove(path);
            }
        }
        Ok(files.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::{OverlayChange, OverlayVfs};
    use crate::{JailPath, MemoryVfs, Vfs, VfsError};
    use std::sync::Arc;

    fn path(text: &str) -> JailPath {
        JailPath::parse(text).unwrap()
    }

    #[test]
    fn changes_are_visible_only_through_the_overlay() {
        let below = Arc::new(MemoryVfs::new());
        below.write(&path("a/old"), "1").unwrap();
        below.write(&path("b"), "1").unwrap();
        let overlay = OverlayVfs::new(below.clone(), 10);
        overlay.write(&path("a/new"), "2").unwrap();
        overlay.write(&path("a/old"), "2").unwrap();
        overlay.remove(&path("b")).unwrap();
        assert_eq!(overlay.read(&path("a/old")).unwrap(), "2");
        assert!(overlay.read(&path("b")).is_err() && !overlay.exists(&path("b")).unwrap());
        assert_eq!(overlay.list(&JailPath::root()).unwrap(), [path("a/new"), path("a/old")]);
        assert_eq!(below.read(&path("a/old")).unwrap(), "1");
        assert_eq!(below.list(&JailPath::root()).unwrap(), [path("a/old"), path("b")]);
        let change = |name: &str, before: Option<&str>, after: Option<&str>| OverlayChange {
            path: path(name),
            before: before.map(str::to_owned),
            after: after.map(str::to_owned),
        };
        let expected =
            [change("a/new", None, Some("2")), change("a/old", Some("1"), Some("2")), change("b", Some("1"), None)];
        assert_eq!(overlay.changes().unwrap(), expected);
    }

    #[test]
    fn a_write_that_the_files_below_would_refuse_is_refused() {
        let below = Arc::new(MemoryVfs::new());
        below.write(&path("file"), "1").unwrap();
        below.write(&path("folder/file"), "1").unwrap();
        let overlay = OverlayVfs::new(below, 3);
        overlay.write(&path("new/file"), "2").unwrap();
        for (name, text) in [("large", "1234"), ("folder", ""), ("new", ""), (".git/config", "")] {
            assert!(overlay.write(&path(name), text).is_err(), "{name}");
        }
        for name in ["file/below", "new/file/below"] {
            assert!(matches!(overlay.write(&path(name), ""), Err(VfsError::NotADirectory { .. })), "{name}");
        }
    }
}
