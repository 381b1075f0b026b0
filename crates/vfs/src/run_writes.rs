//! How much one run may write into folders that outlive it.

use super::application_mark::is_application_mark;
use super::jail_path::JailPath;
use super::vfs::Vfs;
use super::vfs_error::{Room, VfsError, Violation};
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

/// What a run, with all that it starts, may write and has written.
#[derive(Debug)]
pub struct RunWrites {
    most_bytes: u64,
    most_files: u64,
    written: Mutex<Written>,
}

#[derive(Debug, Default)]
struct Written {
    bytes: u64,
    /// Folder and path of each file.
    files: HashSet<(String, JailPath)>,
}

impl RunWrites {
    #[must_use]
    pub fn new(most_bytes: u64, most_files: u64) -> Self {
        Self { most_bytes, most_files, written: Mutex::default() }
    }
}

/// A folder whose writes are counted. What would make it look like an application's is not written.
pub struct CountedVfs {
    name: String,
    files: Arc<dyn Vfs>,
    writes: Arc<RunWrites>,
}

impl CountedVfs {
    #[must_use]
    pub fn new(name: &str, files: Arc<dyn Vfs>, writes: Arc<RunWrites>) -> Self {
        Self { name: name.to_owned(), files, writes }
    }
}

impl Vfs for CountedVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        self.files.read(path)
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        if path.segments().next().is_some_and(is_application_mark) {
            return Err(VfsError::violation(path.as_str(), Violation::Application));
        }
        let RunWrites { most_bytes, most_files, written } = &*self.writes;
        let file = (self.name.clone(), path.clone());
        // Held while the file is written, so that two writes cannot share the same room.
        let mut written = written.lock();
        let bytes = written.bytes.saturating_add(content.len() as u64);
        if bytes > *most_bytes {
            return Err(VfsError::quota(path.as_str(), Room::Run, "bytes", *most_bytes));
        }
        if !written.files.contains(&file) && written.files.len() as u64 >= *most_files {
            return Err(VfsError::quota(path.as_str(), Room::Run, "files", *most_files));
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
    use super::{CountedVfs, RunWrites};
    use crate::{JailPath, MemoryVfs, Vfs, VfsError};
    use std::sync::Arc;

    #[test]
    fn all_folders_of_a_run_share_one_allowance() {
        let writes = Arc::new(RunWrites::new(10, 2));
        let folder = |name| CountedVfs::new(name, Arc::new(MemoryVfs::new()), Arc::clone(&writes));
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
    fn no_run_makes_a_folder_look_like_an_application() {
        let folder = CountedVfs::new("one", Arc::new(MemoryVfs::new()), Arc::new(RunWrites::new(u64::MAX, u64::MAX)));
        let write = |text: &str| folder.write(&JailPath::parse(text).unwrap(), "");
        for path in ["package.json", "node_modules/x.js", "tgp.config.json", ".env"] {
            assert!(matches!(write(path), Err(VfsError::SecurityViolation { .. })), "{path}");
        }
        write("made/package.json").unwrap();
    }
}
