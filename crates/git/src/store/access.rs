//! Whether the repository of a root can be written here: a root may be baked into an image, or mounted read-only.

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
    /// Tries it with the file that every writer has to open.
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

/// Whether the system does not let anybody, or this user, write there.
pub(crate) fn is_refusal(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied)
}

/// Whether there is a repository at `root` that cannot be written.
#[must_use]
pub fn is_read_only(root: &Path) -> bool {
    Access::of(&root.join(".git")) == Access::ReadOnly
}
