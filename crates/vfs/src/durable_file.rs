//! Atomic file replacement: after a crash or a power cut a file has its old text or its new one.

use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, Write};

/// Name prefix of temporary files. No [`super::JailPath`] can name one, so none is ever listed, read or committed. The next
/// [`super::DiskVfs::open`] removes those that a killed process left.
pub const TEMP_PREFIX: &str = ".tgp-tmp-";

/// Attempts to find an unused temporary name.
const NAME_ATTEMPTS: usize = 8;

/// Whether a replaced file must survive a power cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Durability {
    Synced,
    /// The content can be restored from elsewhere.
    Restorable,
}

/// Replaces the file `name` of `dir`: writes a temporary file, syncs it, and renames it over the old one. An error leaves the
/// old file. Access bits are kept. Call [`sync_dir`] to make the rename durable.
pub(super) fn replace(
    dir: &Dir,
    name: &str,
    content: &[u8],
    previous: Option<&Metadata>,
    durability: Durability,
) -> io::Result<()> {
    let mut temp = TempFile::create(dir)?;
    temp.file.write_all(content)?;
    if let Some(previous) = previous {
        keep_mode(&temp.file, previous)?;
    }
    if durability == Durability::Synced {
        temp.file.sync_all()?;
    }
    temp.rename(name)
}

/// Makes additions to and removals from `dir` durable.
#[cfg(unix)]
pub(super) fn sync_dir(dir: &Dir) -> io::Result<()> {
    // The handle itself may be one that only names the directory and cannot be synced.
    dir.open(".")?.sync_all()
}

/// Windows syncs directory entries with the file and cannot sync a directory.
#[cfg(not(unix))]
pub(super) fn sync_dir(_dir: &Dir) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn keep_mode(file: &File, previous: &Metadata) -> io::Result<()> {
    use cap_std::fs::{Permissions, PermissionsExt};
    // Only the access bits: text that a model wrote must not inherit set-user-id.
    file.set_permissions(Permissions::from_mode(previous.permissions().mode() & 0o777))
}

#[cfg(not(unix))]
fn keep_mode(_file: &File, _previous: &Metadata) -> io::Result<()> {
    Ok(())
}

/// A temporary file that is removed on drop unless it was renamed.
struct TempFile<'d> {
    dir: &'d Dir,
    name: String,
    file: File,
}

impl<'d> TempFile<'d> {
    fn create(dir: &'d Dir) -> io::Result<Self> {
        let mut attempt = 1;
        loop {
            let name = format!("{TEMP_PREFIX}{:016x}", RandomState::new().hash_one(attempt));
            match dir.open_with(&name, OpenOptions::new().write(true).create_new(true)) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && attempt < NAME_ATTEMPTS => attempt += 1,
                result => return result.map(|file| Self { dir, name, file }),
            }
        }
    }

    fn rename(mut self, target: &str) -> io::Result<()> {
        self.dir.rename(&self.name, self.dir, target)?;
        self.name.clear();
        Ok(())
    }
}

impl Drop for TempFile<'_> {
    fn drop(&mut self) {
        if !self.name.is_empty() {
            // An error cannot be reported here; the next open of the root removes the file.
            let _ = self.dir.remove_file(&self.name);
        }
    }
}
