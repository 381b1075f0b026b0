//! A root directory as an open handle, and the ways down from it.

use super::durable_file;
use super::jail_path::JailPath;
use super::vfs_error::{VfsError, Violation};
use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::ambient_authority;
use cap_std::fs::{Dir, Metadata};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Weak};

/// What is open in this process. A server that reloads its modules makes a kernel anew and may keep the old one for good: of
/// one directory they all share one handle. While it is open, no other directory at its place can have its identity.
static OPEN: Mutex<BTreeMap<PathBuf, (Identity, Weak<Dir>)>> = Mutex::new(BTreeMap::new());

/// Opens segment by segment, each relative to the handle before it and none through a symlink.
#[derive(Debug, Clone)]
pub(super) struct RootDir {
    dir: Arc<Dir>,
    /// A directory below that nothing here may enter.
    hidden: Option<Identity>,
}

/// What tells a directory from all others, however it is reached or spelt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Identity {
    device: u64,
    file: u64,
}

impl Identity {
    fn of(dir: &Dir) -> io::Result<Self> {
        let metadata = dir.dir_metadata()?;
        Ok(Self { device: metadata.dev(), file: metadata.ino() })
    }
}

/// What to do about a directory that is not there.
#[derive(Clone, Copy)]
pub(super) enum Missing {
    Create,
    Accept,
}

impl RootDir {
    /// The directory `root`, created if need be.
    pub(super) fn open(root: &Path) -> io::Result<Self> {
        let authority = ambient_authority();
        Dir::create_ambient_dir_all(root, authority)?;
        let dir = Dir::open_ambient_dir(root, authority)?;
        Ok(Self { dir: shared(root, dir)?, hidden: None })
    }

    /// As [`RootDir::open`], with `hidden` out of reach.
    pub(super) fn open_around(root: &Path, hidden: &Path) -> io::Result<Self> {
        let hidden = Identity::of(&Dir::open_ambient_dir(hidden, ambient_authority())?)?;
        Ok(Self { hidden: Some(hidden), ..Self::open(root)? })
    }

    /// The handle of `dir`, or `None` when it is not there.
    pub(super) fn enter(&self, dir: &JailPath, missing: Missing) -> Result<Option<Dir>, VfsError> {
        let mut entered: Option<Dir> = None;
        for name in dir.segments() {
            let handle = entered.as_ref().unwrap_or(&self.dir);
            let mut next = handle.open_dir_nofollow(name);
            if let (Missing::Create, Err(error)) = (missing, &next)
                && error.kind() == io::ErrorKind::NotFound
            {
                create_dir(handle, name).map_err(|error| VfsError::io("create", dir.as_str(), error))?;
                next = handle.open_dir_nofollow(name);
            }
            let next = match next {
                Ok(next) => next,
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
                Err(error) => return Err(no_directory(handle, name, dir, error)),
            };
            self.refuse_hidden(&next, dir)?;
            entered = Some(next);
        }
        match entered {
            Some(entered) => Ok(Some(entered)),
            None => self.dir.try_clone().map(Some).map_err(|error| VfsError::io("open", dir.as_str(), error)),
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

    /// The directory that holds `path`, and its name in there. A path through a file is as missing as one through
    /// nothing.
    pub(super) fn find<'p>(&self, path: &'p JailPath) -> Result<Option<(Dir, &'p str)>, VfsError> {
        let (parent, name) = split(path)?;
        match self.enter(&parent, Missing::Accept) {
            Ok(dir) => Ok(dir.map(|dir| (dir, name))),
            Err(VfsError::NotADirectory { .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Where `path` leads when symlinks are followed. The result holds none; one that appears there afterwards is met
    /// by [`RootDir::enter`] as any other.
    pub(super) fn real(&self, path: &JailPath) -> Result<JailPath, VfsError> {
        let violation = |violation| VfsError::violation(path.as_str(), violation);
        let target = self.dir.canonicalize(path.as_str()).map_err(|error| {
            if error.kind() == io::ErrorKind::NotFound {
                VfsError::not_found(path.as_str())
            } else if error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none() {
                // The capability layer's own refusal; one by the system has a number.
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

    /// Removes the directories above a removed file as far as they are empty and nobody is in the way.
    pub(super) fn prune(&self, mut dir: Option<JailPath>) {
        while let Some(path) = dir
            && let Ok(Some((parent, name))) = self.find(&path)
            && parent.remove_dir(name).is_ok()
        {
            dir = path.parent();
        }
    }

    /// Visits every regular file below `start`, except in `.git`. One handle is open at a time, so neither a wide nor a
    /// deep tree exhausts them.
    pub(super) fn walk(&self, start: &JailPath, mut visit: impl FnMut(&Dir, &JailPath, &str)) -> Result<(), VfsError> {
        let mut pending = vec![start.clone()];
        while let Some(path) = pending.pop() {
            let failed = |error| VfsError::io("list", path.as_str(), error);
            let dir = match self.enter(&path, Missing::Accept) {
                Ok(Some(dir)) => dir,
                Ok(None) => continue,
                // Replaced since its name was seen: not a directory any more.
                Err(VfsError::NotADirectory { .. } | VfsError::SecurityViolation { .. }) if path != *start => continue,
                // A folder that others use too has what is not for everybody.
                Err(VfsError::Io { source, .. })
                    if self.hidden.is_some() && path != *start && source.kind() == io::ErrorKind::PermissionDenied =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            let entries = match dir.entries() {
                Ok(entries) => entries,
                // Removed since it was opened.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                // Entered by its name alone, and read by its owner only.
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

/// The handle of `place` that is open already, if it is one of this directory, or else this one.
fn shared(place: &Path, dir: Dir) -> io::Result<Arc<Dir>> {
    let identity = Identity::of(&dir)?;
    let mut open = OPEN.lock();
    open.retain(|_, (_, handle)| handle.strong_count() > 0);
    if let Some((known, handle)) = open.get(place)
        && *known == identity
        && let Some(handle) = handle.upgrade()
        // A directory that is gone from a network file system may have left its number to the next one.
        && Identity::of(&handle).is_ok_and(|present| present == identity)
    {
        return Ok(handle);
    }
    let dir = Arc::new(dir);
    open.insert(place.to_owned(), (identity, Arc::downgrade(&dir)));
    Ok(dir)
}

/// What is at a name right now, without following it.
pub(super) enum Standing {
    Nothing,
    File(Metadata),
    Directory,
    Symlink,
    /// A FIFO, socket or device.
    Special,
}

impl Standing {
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

/// The directory and the name of a file; the root has no name.
pub(super) fn split(path: &JailPath) -> Result<(JailPath, &str), VfsError> {
    path.parent().zip(path.file_name()).ok_or_else(|| VfsError::not_a_file("."))
}

fn create_dir(parent: &Dir, name: &str) -> io::Result<()> {
    match parent.create_dir(name) {
        Ok(()) => durable_file::sync_dir(parent),
        // Created by another writer, or about to be missed by the caller because this directory itself is gone.
        Err(error) if matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound) => Ok(()),
        Err(error) => Err(error),
    }
}

/// Why `name` could not be opened as a directory.
fn no_directory(parent: &Dir, name: &str, path: &JailPath, error: io::Error) -> VfsError {
    match Standing::at(parent, name) {
        Ok(Standing::Symlink) => VfsError::violation(path.as_str(), Violation::Symlink),
        Ok(Standing::File(_) | Standing::Special) => VfsError::not_a_directory(path.as_str()),
        Ok(Standing::Directory | Standing::Nothing) | Err(_) => VfsError::io("open", path.as_str(), error),
    }
}

#[cfg(test)]
mod tests {
    use super::RootDir;
    use std::fs;
    use std::sync::Arc;
    use tempfile::tempdir;

    #[test]
    fn a_directory_is_opened_once_and_one_that_takes_its_place_anew() {
        let folder = tempdir().unwrap();
        let place = folder.path().join("root");
        let first = RootDir::open(&place).unwrap();
        assert!(Arc::ptr_eq(&first.dir, &RootDir::open(&place).unwrap().dir));
        fs::rename(&place, folder.path().join("moved")).unwrap();
        let second = RootDir::open(&place).unwrap();
        assert!(!Arc::ptr_eq(&first.dir, &second.dir));
        second.dir.write("here", "").unwrap();
        assert!(place.join("here").exists());
        assert!(Arc::ptr_eq(&second.dir, &RootDir::open(&place).unwrap().dir));
    }
}
