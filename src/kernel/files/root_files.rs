//! Jailed files without a kernel.

use parking_lot::Mutex;
use std::path::PathBuf;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_vfs::{DiskVfs, JailPath, MemoryVfs, Vfs};

/// Files below a root, opened by the first operation: the constructor neither fails nor accesses the disk.
pub struct RootFiles {
    root: Option<PathBuf>,
    opened: Mutex<Option<Arc<dyn Vfs>>>,
}

impl RootFiles {
    /// On disk below `root`, or in memory.
    #[must_use]
    pub fn new(root: Option<PathBuf>) -> Self {
        Self { root, opened: Mutex::default() }
    }

    pub fn read(&self, path: &str) -> Result<String, Error> {
        Ok(self.files()?.read(&JailPath::parse(path)?)?)
    }

    pub fn write(&self, path: &str, content: &str) -> Result<(), Error> {
        Ok(self.files()?.write(&JailPath::parse(path)?, content)?)
    }

    pub fn remove(&self, path: &str) -> Result<(), Error> {
        Ok(self.files()?.remove(&JailPath::parse(path)?)?)
    }

    pub fn exists(&self, path: &str) -> Result<bool, Error> {
        Ok(self.files()?.exists(&JailPath::parse(path)?)?)
    }

    /// Every file below `dir`, sorted.
    pub fn list(&self, dir: &str) -> Result<Vec<String>, Error> {
        let files = self.files()?.list(&JailPath::parse(dir)?)?;
        Ok(files.into_iter().map(|path| path.as_str().to_owned()).collect())
    }

    fn files(&self) -> Result<Arc<dyn Vfs>, Error> {
        let mut opened = self.opened.lock();
        if let Some(files) = &*opened {
            return Ok(Arc::clone(files));
        }
        let files: Arc<dyn Vfs> = match &self.root {
            Some(root) => Arc::new(DiskVfs::open(root)?),
            None => Arc::new(MemoryVfs::new()),
        };
        *opened = Some(Arc::clone(&files));
        Ok(files)
    }
}
