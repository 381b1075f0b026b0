//! A [`Vfs`] whose folder is created by the first write. An unused folder leaves no trace.

use super::disk_vfs::DiskVfs;
use super::jail_path::JailPath;
use super::vfs::Vfs;
use super::vfs_error::VfsError;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

/// Opens the folder and creates it if needed.
type Open = Box<dyn Fn() -> Result<DiskVfs, VfsError> + Send + Sync>;

pub struct LazyVfs {
    folder: PathBuf,
    open: Open,
    opened: Mutex<Option<Arc<DiskVfs>>>,
}

impl LazyVfs {
    /// `open` is called once: now if `folder` exists, otherwise at the first write.
    ///
    /// # Errors
    /// As `open`, if the folder exists.
    pub fn new(
        folder: PathBuf,
        open: impl Fn() -> Result<DiskVfs, VfsError> + Send + Sync + 'static,
    ) -> Result<Self, VfsError> {
        let lazy = Self { folder, open: Box::new(open), opened: Mutex::default() };
        lazy.existing()?;
        Ok(lazy)
    }

    /// The folder, if it exists.
    fn existing(&self) -> Result<Option<Arc<DiskVfs>>, VfsError> {
        let is_opened = self.opened.lock().is_some();
        if is_opened || self.folder.try_exists().unwrap_or(true) {
            self.opened_or_created().map(Some)
        } else {
            Ok(None)
        }
    }

    fn opened_or_created(&self) -> Result<Arc<DiskVfs>, VfsError> {
        let mut opened = self.opened.lock();
        if let Some(files) = &*opened {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new((self.open)()?);
        *opened = Some(Arc::clone(&files));
        Ok(files)
    }
}

impl Vfs for LazyVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        path.refuse_git()?;
        self.existing()?.map_or_else(|| Err(VfsError::not_found(path.as_str())), |files| files.read(path))
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.opened_or_created()?.write(path, content)
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.existing()?.map_or(Ok(()), |files| files.check_write(path, content))
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.existing()?.map_or(Ok(()), |files| files.remove(path))
    }

    fn exists(&self, path: &JailPath) -> Result<bool, VfsError> {
        path.refuse_git()?;
        self.existing()?.map_or(Ok(false), |files| files.exists(path))
    }

    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError> {
        dir.refuse_git()?;
        self.existing()?.map_or_else(|| Ok(Vec::new()), |files| files.list(dir))
    }
}

#[cfg(test)]
mod tests {
    use super::LazyVfs;
    use crate::{DiskVfs, JailPath, Vfs};

    #[test]
    fn only_a_write_creates_the_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tmp");
        let place = folder.clone();
        let files = LazyVfs::new(folder.clone(), move || DiskVfs::open(&place)).unwrap();
        let path = JailPath::parse("a/b.txt").unwrap();
        assert!(files.read(&path).is_err());
        assert!(files.list(&JailPath::root()).unwrap().is_empty());
        assert!(!files.exists(&path).unwrap());
        assert!(files.write(&JailPath::parse(".git/config").unwrap(), "x").is_err());
        assert!(!folder.exists());
        files.write(&path, "1").unwrap();
        assert_eq!(files.read(&path).unwrap(), "1");
    }
}
