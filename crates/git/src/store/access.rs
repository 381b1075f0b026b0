//! Detects a read-only repository, such as in a container image or on a read-only mount.

use crate::durability::repository_lock::LOCK_NAME;
use crate::regular_file;
use std::fs::File;
use std::io;
use std::path::Path;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Writable,
    ReadOnly,
}

impl Access {
    /// Tries to open the lock file for writing.
    pub(crate) fn of(git_dir: &Path) -> Self {
        if !git_dir.is_dir() {
            return Self::Writable;
        }
        let lock = git_dir.join(LOCK_NAME);
        match regular_file::open(&lock, File::options().read(true).write(true).create(true).truncate(false)) {
            Err(error) if is_refusal(&error) => Self::ReadOnly,
            Ok(_) | Err(_) => Self::Writable,
        }
    }
}

/// Whether an error means a read-only file system or missing permission.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
}

/// Whether the repository at `root` exists and is read-only.
#[must_use]
pub fn is_read_only(root: &Path) -> bool {
    Access::of(&root.join(".git")) == Access::ReadOnly
}
