//! A folder that is made when something is first written into it: being allowed to use one leaves no trace.

use super::disk_vfs::DiskVfs;
use super::jail_path::JailPath;
use super::vfs::Vfs;
use super::vfs_error::VfsError;
use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;

/// Opens, and creates, the folder.
type Open = Box<dyn Fn() -> Result<DiskVfs, VfsError> + Send + Sync>;

pub struct LateVfs {
    folder: PathBuf,
    open: Open,
    opened: Mutex<Option<Arc<DiskVfs>>>,
}

impl LateVfs {
    /// `open` is called once, when `folder` is there or when it has to be.
    ///
    /// # Errors
    /// As `open`, when the folder is there already.
    pub fn new(
        folder: PathBuf,
        open: impl Fn() -> Result<DiskVfs, VfsError> + Send + Sync + 'static,
    ) -> Result<Self, VfsError> {
        let late = Self { folder, open: Box::new(open), opened: Mutex::default() };
        late.present()?;
        Ok(late)
    }

    /// The folder, if it is there.
    fn present(&self) -> Result<Option<Arc<DiskVfs>>, VfsError> {
        let is_known = self.opened.lock().is_some();
        if is_known || self.folder.try_exists().unwrap_or(true) { self.made().map(Some) } else { Ok(None) }
    }

    fn made(&self) -> Result<Arc<DiskVfs>, VfsError> {
        let mut opened = self.opened.lock();
        if let Some(files) = &*opened {
            return Ok(Arc::clone(files));
        }
        let files = Arc::new((self.open)()?);
        *opened = Some(Arc::clone(&files));
        Ok(files)
    }
}

impl Vfs for LateVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        path.refuse_git()?;
        self.present()?.map_or_else(|| Err(VfsError::not_found(path.as_str())), |files| files.read(path))
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.made()?.write(path, content)
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.present()?.map_or(Ok(()), |files| files.check_write(path, content))
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.present()?.map_or(Ok(()), |files| files.remove(path))
    }

    fn exists(&self, path: &JailPath) -> Result<bool, VfsError> {
        path.refuse_git()?;
        self.present()?.map_or(Ok(false), |files| files.exists(path))
    }

    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError> {
        dir.refuse_git()?;
        self.present()?.map_or_else(|| Ok(Vec::new()), |files| files.list(dir))
    }
}

#[cfg(test)]
mod tests {
    use super::LateVfs;
    use crate::{DiskVfs, JailPath, Vfs};

    #[test]
    fn only_a_write_makes_the_folder() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("tmp");
        let place = folder.clone();
        let files = LateVfs::new(folder.clone(), move || DiskVfs::open(&place)).unwrap();
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
