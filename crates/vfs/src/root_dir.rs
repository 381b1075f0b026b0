//! An open handle of a root directory, and jailed traversal below it.

use super::durable_file;
use super::jail_path::JailPath;
use super::kept_dirs::{Identity, KeptDirs};
use super::vfs_error::{VfsError, Violation};
use cap_fs_ext::DirExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Weak};

/// Open root handles of this process. A server that reloads its modules may leak kernels, so all kernels of one directory
/// share one handle. While the handle is open, no other directory can have its device and inode number.
static OPEN: Mutex<BTreeMap<PathBuf, (Identity, Weak<OpenDir>)>> = Mutex::new(BTreeMap::new());

/// Opens segment by segment, each relative to the handle before it and none through a symlink.
#[derive(Debug, Clone)]
pub(super) struct RootDir {
    dir: Arc<OpenDir>,
    /// A directory below the root that must not be entered.
    hidden: Option<Identity>,
}

/// The handle of a root, and of directories below it.
#[derive(Debug)]
struct OpenDir {
    handle: Dir,
    kept: KeptDirs,
}

/// Handling of a missing directory.
#[derive(Clone, Copy)]
pub(super) enum MissingDir {
    Create,
    Accept,
}

impl RootDir {
    /// Opens the directory `root` and creates it if needed.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let authority = ambient_authority();
        Dir::create_ambient_dir_all(root, authority)?;
        let dir = Dir::open_ambient_dir(root, authority)?;
        Ok(Self { dir: shared_handle(root, dir)?, hidden: None })
    }

    /// As [`RootDir::open`], with `hidden` inaccessible.
    pub(super) fn open_around(root: &Path, hidden: &Path) -> io::Result<Self> {
        let hidden = Identity::of(&Dir::open_ambient_dir(hidden, ambient_authority())?)?;
        Ok(Self { hidden: Some(hidden), ..Self::open(root)? })
    }

    /// Opens `dir`; `None` if it does not exist.
    pub(super) fn enter(&self, dir: &JailPath, missing: MissingDir) -> Result<Option<Dir>, VfsError> {
        let mut entered: Option<Dir> = None;
        for name in dir.segments() {
            let handle = entered.as_ref().unwrap_or(&self.dir.handle);
            let mut next = handle.open_dir_nofollow(name);
            if let (MissingDir::Create, Err(error)) = (missing, &next)
                && error.kind() == io::ErrorKind::NotFound
            {
                create_dir(handle, name).map_err(|error| VfsError::io("create", dir.as_str(), error))?;
                next = handle.open_dir_nofollow(name);
            }
            let next = match next {
                Ok(next) => next,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(open_dir_error(handle, name, dir, error)),
            };
            self.refuse_hidden(&next, dir)?;
            entered = Some(next);
        }
        match entered {
            Some(entered) => Ok(Some(entered)),
            None => self.dir.handle.try_clone().map(Some).map_err(|error| VfsError::io("open", dir.as_str(), error)),
        }
    }

    fn refuse_hidden(&self, handle: &Dir, dir: &JailPath) -> Result<(), VfsError> {
        let Some(hidden) = self.hidden else { return Ok(()) };
        match Identity::of(handle) {
            Ok(entered) if entered != hidden => Ok(()),
            Ok(_) => Err(VfsError::violation(dir.as_str(), Violation::Root)),
            Err(error) => Err(VfsError::io("open", dir.as_str(), error)),
        }
    }

    /// The parent directory of `path` and its file name; `None` if a parent is missing or is a file.
    pub(super) fn find<'p>(&self, path: &'p JailPath) -> Result<Option<(Dir, &'p str)>, VfsError> {
        let (parent, name) = split(path)?;
        match self.enter(&parent, MissingDir::Accept) {
            Ok(dir) => Ok(dir.map(|dir| (dir, name))),
            Err(VfsError::NotADirectory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// As [`RootDir::find`], for files that are looked at often: with a handle that is kept. `None` if it has none.
    pub(super) fn find_kept<'p>(&self, path: &'p JailPath) -> Option<(Arc<Dir>, &'p str)> {
        let (parent, name) = split(path).ok()?;
        Some((self.dir.kept.enter(&self.dir.handle, &parent, self.hidden)?, name))
    }

    /// Resolves the symlinks of `path`. The result has none; one that appears later is refused by [`RootDir::enter`].
    pub(super) fn resolve(&self, path: &JailPath) -> Result<JailPath, VfsError> {
        let violation = |violation| VfsError::violation(path.as_str(), violation);
        let target = self.dir.handle.canonicalize(path.as_str()).map_err(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                VfsError::not_found(path.as_str())
            } else if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
                // Refused by cap-std; an error of the system has a number.
                violation(Violation::LeavesRoot)
            } else {
                violation(Violation::Symlink)
            }
        })?;
        let mut real = JailPath::root();
        for component in target.components() {
            if let Component::Normal(name) = component {
                real = real.join(name.to_str().ok_or_else(|| violation(Violation::Symlink))?)?;
            }
        }
        if real.is_git() { Err(violation(Violation::Git)) } else { Ok(real) }
    }

    /// Removes the empty directories above a removed file.
    pub(super) fn prune(&self, mut dir: Option<JailPath>) {
        while let Some(path) = dir
            && let Ok(Some((parent, name))) = self.find(&path)
            && parent.remove_dir(name).is_ok()
        {
            dir = path.parent();
        }
    }

    /// Visits every regular file below `start`, except in `.git`. Only one handle is open at a time, so large trees cannot
    /// exhaust file descriptors.
    pub(super) fn walk(&self, start: &JailPath, mut visit: impl FnMut(&Dir, &JailPath, &str)) -> Result<(), VfsError> {
        let mut pending = vec![start.clone()];
        while let Some(path) = pending.pop() {
            let failed = |error| VfsError::io("list", path.as_str(), error);
            let dir = match self.enter(&path, MissingDir::Accept) {
                Ok(Some(dir)) => dir,
                Ok(None) => continue,
                // No longer a directory: replaced after it was listed.
                Err(VfsError::NotADirectory { .. } | VfsError::SecurityViolation { .. }) if path != *start => continue,
                // A shared folder may contain directories without read permission.
                Err(VfsError::Io { source, .. })
                    if self.hidden.is_some() && path != *start && source.kind() == io::ErrorKind::PermissionDenied =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let entries = match dir.entries() {
                Ok(entries) => entries,
                // Removed after it was opened.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                // A directory that may be entered but not listed.
                Err(error)
                    if self.hidden.is_some() && path != *start && error.kind() == io::ErrorKind::PermissionDenied =>
                {
                    continue;
                }
                Err(error) => return Err(failed(error)),
            };
            for entry in entries {
                let entry = entry.map_err(failed)?;
                let name = entry.file_name();
                let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else { continue };
                if kind.is_file() {
                    visit(&dir, &path, name);
                } else if kind.is_dir()
                    && let Ok(child) = path.join(name)
                    && !child.is_git()
                {
                    pending.push(child);
                }
            }
        }
        Ok(())
    }
}

/// The handle that is already open for the same directory, or `handle` as a new one.
fn shared_handle(root: &Path, handle: Dir) -> io::Result<Arc<OpenDir>> {
    let identity = Identity::of(&handle)?;
    let mut open = OPEN.lock();
    open.retain(|_, (_, dir)| dir.strong_count() > 0);
    if let Some((known, dir)) = open.get(root)
        && *known == identity
        && let Some(dir) = dir.upgrade()
        // A network file system may reuse the inode number of a removed directory.
        && Identity::of(&dir.handle).is_ok_and(|present| present == identity)
    {
        return Ok(dir);
    }
    let dir = Arc::new(OpenDir { handle, kept: KeptDirs::default() });
    open.insert(root.to_owned(), (identity, Arc::downgrade(&dir)));
    Ok(dir)
}

/// The kind of a directory entry; symlinks are not followed.
pub(super) enum EntryKind {
    Nothing,
    File(Metadata),
    Directory,
    Symlink,
    /// A FIFO, socket or device.
    Special,
}

impl EntryKind {
    pub(super) fn at(dir: &Dir, name: &str) -> io::Result<Self> {
        match dir.symlink_metadata(name) {
            Ok(metadata) if metadata.is_symlink() => Ok(Self::Symlink),
            Ok(metadata) if metadata.is_file() => Ok(Self::File(metadata)),
            Ok(metadata) if metadata.is_dir() => Ok(Self::Directory),
            Ok(_) => Ok(Self::Special),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Nothing),
            Err(error) => Err(error),
        }
    }
}

/// The parent and the name of a file; an error for the root.
pub(super) fn split(path: &JailPath) -> Result<(JailPath, &str), VfsError> {
    path.parent().zip(path.file_name()).ok_or_else(|| VfsError::not_a_file("."))
}

fn create_dir(parent: &Dir, name: &str) -> io::Result<()> {
    match parent.create_dir(name) {
        Ok(()) => durable_file::sync_dir(parent),
        // Created by another writer; or the parent was removed, which the caller notices.
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Why `name` could not be opened as a directory.
fn open_dir_error(parent: &Dir, name: &str, path: &JailPath, error: io::Error) -> VfsError {
    match EntryKind::at(parent, name) {
        Ok(EntryKind::Symlink) => VfsError::violation(path.as_str(), Violation::Symlink),
        Ok(EntryKind::File(_) | EntryKind::Special) => VfsError::not_a_directory(path.as_str()),
        Ok(EntryKind::Directory | EntryKind::Nothing) | Err(_) => VfsError::io("open", path.as_str(), error),
    }
}

#[cfg(test)]
mod tests {
    use super::RootDir;
    use std::fs;
    use std::sync::Arc;
    use tempfile::tempdir;

    #[test]
    fn roots_of_one_directory_share_a_handle_until_it_is_replaced() {
        let folder = tempdir().unwrap();
        let place = folder.path().join("root");
        let first = RootDir::open(&place).unwrap();
        assert!(Arc::ptr_eq(&first.dir, &RootDir::open(&place).unwrap().dir));
        fs::rename(&place, folder.path().join("moved")).unwrap();
        let second = RootDir::open(&place).unwrap();
        assert!(!Arc::ptr_eq(&first.dir, &second.dir));
        second.dir.handle.write("here", "").unwrap();
        assert!(place.join("here").exists());
        assert!(Arc::ptr_eq(&second.dir, &RootDir::open(&place).unwrap().dir));
    }
}
