//! A [`Vfs`] on disk, behind a directory handle. It is the only access to the host's file system in this crate.
//!
//! The jail is not a check on strings. Every operation starts at one open handle of the root and opens segment by
//! segment, each relative to the handle before it and none through a symlink, so swapping a directory for a link while
//! an operation runs gains nothing.
//!
//! - Symlinks: never followed for writing, removing or listing, and not listed. A read follows one if the target lies
//!   inside the root and outside `.git`.
//! - FIFOs, sockets and devices: refused by the type of the opened handle, without blocking on a peer.
//! - Hard links: a second name of the same file may lie outside and cannot be found, so a file with several names is
//!   not read. Writing gives the path a new file and leaves the other name as it was. (No tool and no Git repository can
//!   make a hard link; only someone with access to the host can.)

use super::durable_file::{self, Durability, TEMP_PREFIX};
use super::fingerprint::{Fingerprint, ListedFile};
use super::jail_path::JailPath;
use super::root_dir::{EntryKind, MissingDir, RootDir, split};
use super::usage::Usage;
use super::vfs::{DEFAULT_MAX_FILE_BYTES, Vfs};
use super::vfs_error::{VfsError, Violation};
use cap_fs_ext::{FollowSymlinks, MetadataExt, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::path::Path;
use std::time::Duration;
use tgp_base::bounded_read::read_at_most;

/// Age after which a temporary file counts as abandoned. A write takes milliseconds.
const STALE_TEMP_AGE: Duration = Duration::from_mins(10);

/// Largest file that is read as bytes; equals the highest configurable limit.
const MAX_BYTES: usize = 64 << 20;

/// Action named by an error when the new text was written but not synced: a power cut may undo it.
const SYNC_ACTION: &str = "sync the new text of";

/// Attempts of a write whose directory is removed concurrently.
const WRITE_ATTEMPTS: usize = 8;

#[derive(Debug)]
pub struct DiskVfs {
    root: RootDir,
    max_file_bytes: usize,
    durability: Durability,
}

impl DiskVfs {
    /// Opens the directory `root`, creates it if needed, and removes temporary files of killed writers.
    ///
    /// # Errors
    /// `Io` when the directory cannot be created or opened.
    pub fn open(root: &Path) -> Result<Self, VfsError> {
        let root = RootDir::open(root).map_err(|error| not_opened(root, error))?;
        let vfs = Self { root, max_file_bytes: DEFAULT_MAX_FILE_BYTES, durability: Durability::Synced };
        // An unreadable directory must not prevent opening the root; remaining temporary files are never listed.
        let _ = vfs.remove_stale_temp_files();
        Ok(vfs)
    }

    /// Opens a directory shared with other programs and creates it if needed. Temporary files are not removed, and the
    /// directory `hidden`, at any depth below it, is inaccessible.
    ///
    /// # Errors
    /// `Io` when one of the directories cannot be opened.
    pub fn open_around(root: &Path, hidden: &Path) -> Result<Self, VfsError> {
        let root = RootDir::open_around(root, hidden).map_err(|error| not_opened(root, error))?;
        Ok(Self { root, max_file_bytes: DEFAULT_MAX_FILE_BYTES, durability: Durability::Synced })
    }

    /// Sets the size limit of a file.
    #[must_use]
    pub fn with_max_file_bytes(self, max_file_bytes: usize) -> Self {
        Self { max_file_bytes, ..self }
    }

    /// A second view of the same root with its own size limit per file.
    #[must_use]
    pub fn reopened(&self, max_file_bytes: usize) -> Self {
        Self { root: self.root.clone(), max_file_bytes, durability: self.durability }
    }

    /// Skips the sync of every write, for files that can be recreated.
    #[must_use]
    pub fn restorable(self) -> Self {
        Self { durability: Durability::Restorable, ..self }
    }

    /// Writes any bytes of any size without a sync: for content that is stored elsewhere, such as in a repository.
    ///
    /// # Errors
    /// As [`Vfs::write`], but never `TooLarge`.
    pub fn restore(&self, path: &JailPath, content: &[u8]) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.write_real(path, content, Durability::Restorable)
    }

    /// As [`Vfs::write`], but without a sync: for text that is also stored elsewhere before the write is reported.
    ///
    /// # Errors
    /// As [`Vfs::write`].
    pub fn write_restorable(&self, path: &JailPath, content: &str) -> Result<(), VfsError> {
        path.refuse_git()?;
        self.refuse_large(path, content)?;
        self.write_real(path, content.as_bytes(), Durability::Restorable)
    }

    /// Syncs the file at `path` and its directory entry to disk. Needs no free disk space.
    ///
    /// # Errors
    /// As [`Vfs::read`].
    pub fn sync(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        let failed = |error| VfsError::io(SYNC_ACTION, path.as_str(), error);
        self.open_file(path)?.sync_all().map_err(failed)?;
        let Some((dir, _)) = self.root.find(path)? else { return Err(VfsError::not_found(path.as_str())) };
        durable_file::sync_dir(&dir).map_err(failed)
    }

    /// The bytes of a regular file. Symlinks are not followed.
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

    /// Total size and number of files, without `.git`.
    ///
    /// # Errors
    /// `Io`.
    pub fn usage(&self) -> Result<Usage, VfsError> {
        let mut usage = Usage::default();
        self.root.walk(&JailPath::root(), |dir, _, name| {
            // A file removed concurrently counts as nothing.
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
        match self.entry(path)? {
            EntryKind::File(metadata) => Ok(Some(metadata.len())),
            EntryKind::Nothing | EntryKind::Directory | EntryKind::Symlink | EntryKind::Special => Ok(None),
        }
    }

    /// What is at `path`; symlinks are not followed.
    fn entry(&self, path: &JailPath) -> Result<EntryKind, VfsError> {
        // A kept handle may be stale on a network file system: then it is opened anew.
        if let Some((dir, name)) = self.root.find_kept(path)
            && let Ok(kind) = EntryKind::at(&dir, name)
        {
            return Ok(kind);
        }
        let Some((dir, name)) = self.root.find(path)? else { return Ok(EntryKind::Nothing) };
        EntryKind::at(&dir, name).map_err(|error| VfsError::io("find", path.as_str(), error))
    }

    fn write_real(&self, path: &JailPath, content: &[u8], durability: Durability) -> Result<(), VfsError> {
        for _ in 0..WRITE_ATTEMPTS {
            if self.try_write(path, content, durability)? {
                return Ok(());
            }
        }
        Err(VfsError::io("write", path.as_str(), io::ErrorKind::NotFound.into()))
    }

    fn remove_stale_temp_files(&self) -> Result<(), VfsError> {
        self.root.walk(&JailPath::root(), |dir, _, name| {
            let age = || dir.symlink_metadata(name).ok()?.modified().ok()?.into_std().elapsed().ok();
            if name.starts_with(TEMP_PREFIX) && age().is_some_and(|age| age > STALE_TEMP_AGE) {
                // Another process may remove it at the same time.
                let _ = dir.remove_file(name);
            }
        })
    }

    /// Runs a read operation and repeats it on the resolved path if a symlink is in the way. The resolved path has no
    /// symlinks; one that appears concurrently is refused.
    fn follow_symlinks<T>(
        &self,
        path: &JailPath,
        operation: impl Fn(&JailPath) -> Result<T, VfsError>,
    ) -> Result<T, VfsError> {
        match operation(path) {
            Err(VfsError::SecurityViolation { violation: Violation::Symlink, .. }) => {
                operation(&self.root.resolve(path)?)
            }
            result => result,
        }
    }

    fn open_file(&self, path: &JailPath) -> Result<File, VfsError> {
        let Some((dir, name)) = self.root.find(path)? else { return Err(VfsError::not_found(path.as_str())) };
        // Without `nonblock`, opening a FIFO waits for its other end.
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        dir.open_with(name, &options).map_err(|error| match EntryKind::at(&dir, name) {
            Ok(EntryKind::Nothing) => VfsError::not_found(path.as_str()),
            Ok(EntryKind::Symlink) => VfsError::violation(path.as_str(), Violation::Symlink),
            Ok(EntryKind::Directory | EntryKind::Special) => VfsError::not_a_file(path.as_str()),
            Ok(EntryKind::File(_)) | Err(_) => VfsError::io("read", path.as_str(), error),
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

    /// `false` when the directory was removed concurrently; then nothing was written.
    fn try_write(&self, path: &JailPath, content: &[u8], durability: Durability) -> Result<bool, VfsError> {
        let (parent, name) = split(path)?;
        let Some(dir) = self.root.enter(&parent, MissingDir::Create)? else { return Ok(false) };
        let previous = match EntryKind::at(&dir, name).map_err(|error| VfsError::io("write", path.as_str(), error))? {
            EntryKind::Nothing => None,
            EntryKind::File(metadata) => Some(metadata),
            EntryKind::Symlink => return Err(VfsError::violation(path.as_str(), Violation::Symlink)),
            EntryKind::Directory | EntryKind::Special => return Err(VfsError::not_a_file(path.as_str())),
        };
        match durable_file::replace(&dir, name, content, previous.as_ref(), durability) {
            Ok(()) if durability == Durability::Restorable => Ok(true),
            Ok(()) => {
                let synced =
                    durable_file::sync_dir(&dir).map_err(|error| VfsError::io(SYNC_ACTION, path.as_str(), error));
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
        self.follow_symlinks(path, |path| self.read_real(path))
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
        let Some(dir) = self.root.enter(&parent, MissingDir::Accept)? else { return Ok(()) };
        match EntryKind::at(&dir, name).map_err(|error| VfsError::io("write", path.as_str(), error))? {
            EntryKind::Nothing | EntryKind::File(_) => Ok(()),
            EntryKind::Symlink => Err(VfsError::violation(path.as_str(), Violation::Symlink)),
            EntryKind::Directory | EntryKind::Special => Err(VfsError::not_a_file(path.as_str())),
        }
    }

    fn remove(&self, path: &JailPath) -> Result<(), VfsError> {
        path.refuse_git()?;
        let failed = |error| VfsError::io("remove", path.as_str(), error);
        let Some((dir, name)) = self.root.find(path)? else { return Ok(()) };
        match EntryKind::at(&dir, name).map_err(failed)? {
            EntryKind::Nothing => return Ok(()),
            EntryKind::File(_) => {}
            EntryKind::Symlink => return Err(VfsError::violation(path.as_str(), Violation::Symlink)),
            EntryKind::Directory | EntryKind::Special => return Err(VfsError::not_a_file(path.as_str())),
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
        let exists = self.follow_symlinks(path, |path| match self.entry(path)? {
            EntryKind::File(_) => Ok(true),
            EntryKind::Nothing | EntryKind::Directory | EntryKind::Special => Ok(false),
            EntryKind::Symlink => Err(VfsError::violation(path.as_str(), Violation::Symlink)),
        });
        match exists {
            Err(VfsError::NotFound { .. }) => Ok(false),
            result => result,
        }
    }

    fn fingerprint(&self, path: &JailPath) -> Result<Option<Fingerprint>, VfsError> {
        path.refuse_git()?;
        match self.entry(path)? {
            EntryKind::File(file) if file.nlink() == 1 => Ok(fingerprint_of(&file)),
            EntryKind::File(_)
            | EntryKind::Nothing
            | EntryKind::Symlink
            | EntryKind::Directory
            | EntryKind::Special => Ok(None),
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

    fn list_with_fingerprints(&self, dir: &JailPath) -> Result<Vec<ListedFile>, VfsError> {
        dir.refuse_git()?;
        let mut files = Vec::new();
        self.root.walk(dir, |handle, parent, name| {
            if let Ok(path) = parent.join(name)
                && !path.is_git()
            {
                let fingerprint = handle.symlink_metadata(name).ok().and_then(|file| fingerprint_of(&file));
                files.push(ListedFile { path, fingerprint });
            }
        })?;
        files.sort_unstable_by(|left, right| left.path.cmp(&right.path));
        Ok(files)
    }
}

/// The error for a folder. It has only the name of the folder.
fn not_opened(folder: &Path, error: io::Error) -> VfsError {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    VfsError::io("open the folder", &name, error)
}

fn fingerprint_of(file: &Metadata) -> Option<Fingerprint> {
    Fingerprint::of(file.modified().ok()?.into_std(), file.len(), file.ino())
}
