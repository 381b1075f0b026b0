//! The work tree of the repository: pulled content is written through the jail only.

use crate::kernel::secret_scan::SecretScan;
use std::io;
use std::sync::Arc;
use tgp_git::WorkTree;
use tgp_vfs::{DiskVfs, JailPath, Vfs, VfsError};

pub struct Workspace {
    files: Arc<DiskVfs>,
    secrets: SecretScan,
}

impl Workspace {
    pub const fn new(files: Arc<DiskVfs>, secrets: SecretScan) -> Self {
        Self { files, secrets }
    }
}

impl WorkTree for Workspace {
    fn accepts(&self, path: &str) -> bool {
        // A path that is not in canonical spelling is refused.
        JailPath::parse(path).is_ok_and(|parsed| !parsed.is_git() && parsed.as_str() == path)
    }

    fn is_held_back(&self, path: &str, content: &[u8]) -> bool {
        self.secrets.holds_secret(path, content)
    }

    fn read(&self, path: &str) -> io::Result<Option<Vec<u8>>> {
        match JailPath::parse(path).and_then(|path| self.files.read_bytes(&path)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(VfsError::Io { source, .. }) => Err(source),
            Err(_) => Ok(None),
        }
    }

    fn write(&self, path: &str, content: &[u8]) -> io::Result<()> {
        JailPath::parse(path).and_then(|path| self.files.restore(&path, content)).map_err(as_io)
    }

    fn remove(&self, path: &str) -> io::Result<()> {
        JailPath::parse(path).and_then(|path| self.files.remove(&path)).map_err(as_io)
    }
}

fn as_io(error: VfsError) -> io::Error {
    if let VfsError::Io { source, .. } = error {
        return source;
    }
    io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
}
