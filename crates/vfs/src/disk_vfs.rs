//! Files on disk behind a directory handle: the only way in this crate to the host's file system.
//!
//! The jail is not a check on strings. Every operation starts at one open handle of the root and opens segment by
//! segment, each relative to the handle before it and none through a symlink, so swapping a directory for a link while
//! an operation runs gains nothing.
//!
//! - Symlinks: never followed for writing, removing or listing, and not listed. A read follows one if the target lies
//!   inside the root and outside `.git`.
//! - FIFOs, sockets and devices: refused, by the type of the opened handle, without waiting for a peer.
//! - Hard links: a second name of the same file may lie outside and cannot be found, so a file with several names is
//!   not read. Writing gives the path a new file and leaves the other name as it was. (No tool and no Git repository can
//!   make a hard link; only someone with access to the host can.)

use super::durable_file::{self, Durability, TEMP_PREFIX};
use super::jail_path::JailPath;
use super::root_dir::{Missing, RootDir, Standing, split};
use super::stamp::{Stamp, StampedFile};
use super::usage::Usage;
use super::vfs::{DEFAULT_MAX_FILE_BYTES, Vfs};
use super::vfs_error::{VfsError, Violation};
use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::Duration;
use tgp_base::bounded_read::read_at_most;

/// A write takes milliseconds; a temporary file of this age has no writer any more.
const ABANDONED_AFTER: Duration = Duration::from_mins(10);

/// Largest file that is read as bytes: as large as the largest that may be configured.
const MAX_BYTES: usize = 64 << 20;

/// What failed when a file has its new text, but a power cut may undo that.
const SYNC: &str = "sync the new text of";

/// How often a write starts over because a removal took its directory away in between.
const WRITE_ATTEMPTS: usize = 8;

#[derive(Debug)]
pub struct DiskVfs {
    root: RootDir,
    max_file_bytes: usize,
    durability: Durability,
}

impl DiskVfs {
    /// Opens the directory `root`, which is created if need be, and clears what killed writers left in it.
    ///
    /// # Errors
    /// `Io` when the directory cannot be created or opened.
    pub fn open(root: &Path) -> Result<Self, VfsError> {
        let root = RootDir::open(root).map_err(|error| VfsError::io("open the root directory", ".", error))?;
        let vfs = Self { root, max_file_bytes: DEFAULT_MAX_FILE_BYTES, durability: Durability::Synced };
        // An unreadable directory must not keep the root from opening; what stays is invisible.
        let _ = vfs.remove_abandoned();
        Ok(vfs)
    }

    /// Opens a directory that others use too, which is created if need be: it is not cleared, and `hidden`, which may lie
    /// anywhere in it, is out of reach.
    ///
    /// # Errors
    /// `Io` when one of the directories cannot be opened.
    pub fn open_around(root: &Path, hidden: &Path) -> Result<Self, VfsError> {
        let root = RootDir::open_around(root, hidden);
        let root = root.map_err(|error| VfsError::io("open the root directory", ".", error))?;
        Ok(Self { root, max_file_bytes: DEFAULT_MAX_FILE_BYTES, durability: Durability::Synced })
    }

    /// The same root with another limit for each file.
    #[must_use]
    pub fn with_max_file_bytes(self, max_file_bytes: usize) -> Self {
        Self { max_file_bytes, ..self }
    }

    /// The same root once more, with another limit for each file.
    #[must_use]
    pub fn reopened(&self, max_file_bytes: usize) -> Self {
        Self { root: self.root.clone(), max_file_bytes, durability: self.durability }
    }

    /// The same root for files that can be made again: no write waits for the disk.
    #[must_use]
    pub fn restorable(self) -> Self {
        Self { durability: Durability::Restorable, ..self }
    }

    /// Makes `content` the bytes of the file, as [`Vfs::write`] does, but whatever they are and without waiting for the
    /// disk: for content that is kept elsewhere, such as in a repository.
    ///
    /// # Errors
    /// As [`Vfs::write`], but never `TooLarge`.
    pub fn restore(&self, path: &JailPath, content: &[u8]) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.write_real(path, content, Durability::Restorable)
    }

    /// As [`Vfs::write`], but without waiting for the disk: for text that is kept elsewhere before it counts as written.
    ///
    /// # Errors
    /// As [`Vfs::write`].
    pub fn write_restorable(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.refuse_large(path, content)?;
        self.write_real(path, content.as_bytes(), Durability::Restorable)
    }

    /// Waits until the file at `path`, as it is, survives a power cut. It takes no room on the disk.
    ///
    /// # Errors
    /// As [`Vfs::read`].
    pub fn sync(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        let failed = |error| VfsError::io(SYNC, path.as_str(), error);
        self.open_file(path)?.sync_all().map_err(failed)?;
        let Some((dir, _)) = self.root.find(path)? else { return Err(VfsError::not_found(path.as_str())) };
        durable_file::sync_dir(&dir).map_err(failed)
    }

    /// The bytes of a regular file, whatever they are; a symlink is not followed.
    ///
    /// # Errors
    /// `NotFound`, `NotAFile`, `TooLarge`, `SecurityViolation`, `Io`.
    pub fn read_bytes(&self, path: &JailPath) -> Result<Vec<u8>, VfsError> {
        path.refuse_git()?;
        self.read_real_bytes(path, MAX_BYTES)
    }

    fn refuse_large(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        let is_large = content.len() > self.max_file_bytes;
        if is_large { Err(VfsError::too_large(path.as_str(), self.max_file_bytes)) } else { Ok(()) }
    }

    /// How much is there, `.git` aside.
    ///
    /// # Errors
    /// `Io`.
    pub fn usage(&self) -> Result<Usage, VfsError> {
        let mut usage = Usage::default();
        self.root.walk(&JailPath::root(), |dir, _, name| {
            // One that was removed meanwhile holds nothing.
            if let Ok(metadata) = dir.symlink_metadata(name) {
                usage.files += 1;
                usage.bytes += metadata.len();
            }
        })?;
        Ok(usage)
    }

    /// The size of a regular file, if there is one.
    ///
    /// # Errors
    /// `SecurityViolation`, `Io`.
    pub fn size_of(&self, path: &JailPath) -> Result<Option<u64>, VfsError> {
        path.refuse_git()?;
        let Some((dir, name)) = self.root.find(path)? else { return Ok(None) };
        match Standing::at(&dir, name).map_err(|error| VfsError::io("find", path.as_str(), error))? {
            Standing::File(metadata) => Ok(Some(metadata.len())),
            Standing::Nothing | Standing::Directory | Standing::Symlink | Standing::Special => Ok(None),
        }
    }

    fn write_real(&self, path: &JailPath, content: &[u8], durability: Durability) -> Result<(), VfsError> {
        for _ in 0..WRITE_ATTEMPTS {
            if self.try_write(path, content, durability)? {
                return Ok(());
            }
        }
        Err(VfsError::io("write", path.as_str(), io::ErrorKind::NotFound.into()))
    }

    fn remove_abandoned(&self) -> Result<(), VfsError> {
        self.root.walk(&JailPath::root(), |dir, _, name| {
            let age = || dir.symlink_metadata(name).ok()?.modified().ok()?.into_std().elapsed().ok();
            if name.starts_with(TEMP_PREFIX) && age().is_some_and(|age| age > ABANDONED_AFTER) {
                // Somebody else may be clearing too.
                let _ = dir.remove_file(name);
            }
        })
    }

    /// Runs a reading operation, once more with the real path if a symlink is in the way. The real path holds no
    /// symlink: if one appears there meanwhile, the operation refuses it.
    fn following<T>(
        &self,
        path: &JailPath,
        operation: impl Fn(&JailPath) -> Result<T, VfsError>,
    ) -> Result<T, VfsError> {
        match operation(path) {
            Err(VfsError::SecurityViolation { violation: Violation::Symlink, .. }) => operation(&self.root.real(path)?),
            result => result,
        }
    }

    fn open_file(&self, path: &JailPath) -> Result<File, VfsError> {
        let Some((dir, name)) = self.root.find(path)? else { return Err(VfsError::not_found(path.as_str())) };
        // Without `nonblock`, opening a FIFO waits for its other end.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        dir.open_with(name, &options).map_err(|error| match Standing::at(&dir, name) {
            Ok(Standing::Nothing) => VfsError::not_found(path.as_str()),
            Ok(Standing::Symlink) => VfsError::violation(path.as_str(), Violation::Symlink),
            Ok(Standing::Directory | Standing::Special) => VfsError::not_a_file(path.as_str()),
            Ok(Standing::File(_)) | Err(_) => VfsError::io("read", path.as_str(), error),
        })
    }

    fn read_real(&self, path: &JailPath) -> Result<String, VfsError> {
        let bytes = self.read_real_bytes(path, self.max_file_bytes)?;
        String::from_utf8(bytes).map_err(|_| VfsError::not_text(path.as_str()))
    }

    fn read_real_bytes(&self, path: &JailPath, limit: usize) -> Result<Vec<u8>, VfsError> {
        let failed = |error| VfsError::io("read", path.as_str(), error);
        let file = self.open_file(path)?;
        let metadata = file.metadata().map_err(failed)?;
        if !metadata.is_file() {
            return Err(VfsError::not_a_file(path.as_str()));
        }
        if metadata.nlink() > 1 {
            return Err(VfsError::violation(path.as_str(), Violation::HardLink));
        }
        let expected = usize::try_from(metadata.len()).unwrap_or_default();
        if expected > limit {
            return Err(VfsError::too_large(path.as_str(), limit));
        }
        let bytes = read_at_most(file, limit, expected).map_err(failed)?;
        bytes.ok_or_else(|| VfsError::too_large(path.as_str(), limit))
    }

    /// `false` when the directory was taken away by a removal; then nothing was written.
    fn try_write(&self, path: &JailPath, content: &[u8], durability: Durability) -> Result<bool, VfsError> {
        let (parent, name) = split(path)?;
        let Some(dir) = self.root.enter(&parent, Missing::Create)? else { return Ok(false) };
        let previous = match Standing::at(&dir, name).map_err(|error| VfsError::io("write", path.as_str(), error))? {
            Standing::Nothing => None,
            Standing::File(metadata) => Some(metadata),
            Standing::Symlink => return Err(VfsError::violation(path.as_str(), Violation::Symlink)),
            Standing::Directory | Standing::Special => return Err(VfsError::not_a_file(path.as_str())),
        };
        match durable_file::replace(&dir, name, content, previous.as_ref(), durability) {
            Ok(()) if durability == Durability::Restorable => Ok(true),
            Ok(()) => {
                let synced = durable_file::sync_dir(&dir).map_err(|error| VfsError::io(SYNC, path.as_str(), error));
                synced.map(|()| true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(VfsError::io("write", path.as_str(), error)),
        }
    }
}

impl Vfs for DiskVfs {
    fn read(&self, path: &JailPath) -> Result<String, VfsError> {
        path.refuse_git()?;
        self.following(path, |path| self.read_real(path))
    }

    fn write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.refuse_large(path, content)?;
        self.write_real(path, content.as_bytes(), self.durability)
    }

    fn check_write(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.refuse_large(path, content)?;
        let (parent, name) = split(path)?;
        let Some(dir) = self.root.enter(&parent, Missing::Accept)? else { return Ok(()) };
        match Standing::at(&dir, name).map_err(|error| VfsError::io("write", path.as_str(), error))? {
            Standing::Nothing | Standing::File(_) => Ok(()),
            Standing::Symlink => Err(VfsError::violation(path.as_str(), Violation::Symlink)),
            Standing::Directory | Standing::Special => Err(VfsError::not_a_file(path.as_str())),
        }
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        let failed = |error| VfsError::io("remove", path.as_str(), error);
        let Some((dir, name)) = self.root.find(path)? else { return Ok(()) };
        match Standing::at(&dir, name).map_err(failed)? {
            Standing::Nothing => return Ok(()),
            Standing::File(_) => {}
            Standing::Symlink => return Err(VfsError::violation(path.as_str(), Violation::Symlink)),
            Standing::Directory | Standing::Special => return Err(VfsError::not_a_file(path.as_str())),
        }
        match dir.remove_file(name) {
            Ok(()) => durable_file::sync_dir(&dir).map_err(failed)?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) => return Err(failed(error)),
        }
        self.root.prune(path.parent());
        Ok(())
    }

    fn exists(&self, path: &JailPath) -> Result<bool, VfsError> {
        path.refuse_git()?;
        if path.is_root() {
            return Ok(false);
        }
        let found = self.following(path, |path| match self.root.find(path)? {
            None => Ok(false),
            Some((dir, name)) => {
                match Standing::at(&dir, name).map_err(|error| VfsError::io("find", path.as_str(), error))? {
                    Standing::File(_) => Ok(true),
                    Standing::Nothing | Standing::Directory | Standing::Special => Ok(false),
                    Standing::Symlink => Err(VfsError::violation(path.as_str(), Violation::Symlink)),
                }
            }
        });
        match found {
            Err(VfsError::NotFound { .. }) => Ok(false),
            result => result,
        }
    }

    fn stamp(&self, path: &JailPath) -> Result<Option<Stamp>, VfsError> {
        path.refuse_git()?;
        let Some((dir, name)) = self.root.find(path)? else { return Ok(None) };
        match Standing::at(&dir, name).map_err(|error| VfsError::io("find", path.as_str(), error))? {
            Standing::File(file) if file.nlink() == 1 => Ok(stamp_of(&file)),
            Standing::File(_) | Standing::Nothing | Standing::Symlink | Standing::Directory | Standing::Special => {
                Ok(None)
            }
        }
    }

    fn list(&self, dir: &JailPath) -> Result<Vec<JailPath>, VfsError> {
        dir.refuse_git()?;
        let mut files = Vec::new();
        let listed = self.root.walk(dir, |_, parent, name| {
            if let Ok(path) = parent.join(name)
                && !path.is_git()
            {
                files.push(path);
            }
        });
        match listed {
            // `dir` itself is a file only if the directory above it is one.
            Err(VfsError::NotADirectory { .. }) if !self.exists(dir)? => Ok(Vec::new()),
            Err(error) => Err(error),
            Ok(()) => {
                files.sort_unstable();
                Ok(files)
            }
        }
    }

    fn list_stamped(&self, dir: &JailPath) -> Result<Vec<StampedFile>, VfsError> {
        dir.refuse_git()?;
        let mut files = Vec::new();
        self.root.walk(dir, |handle, parent, name| {
            if let Ok(path) = parent.join(name)
                && !path.is_git()
            {
                let stamp = handle.symlink_metadata(name).ok().and_then(|file| stamp_of(&file));
                files.push(StampedFile { path, stamp });
            }
        })?;
        files.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        Ok(files)
    }
}

fn stamp_of(file: &Metadata) -> Option<Stamp> {
    Stamp::of(file.modified().ok()?.into_std(), file.len(), file.ino())
}
