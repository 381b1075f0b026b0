//! One file of a spool: lines of events, locked by its writer while that is alive.

use crate::folder::Folder;
use std::fs::{File, TryLockError, remove_file};
use std::io::{self, Write};
use std::sync::Arc;

/// A spool file locked by this process. When it is unlocked, others may drain it.
pub struct SpoolFile {
    pub name: String,
    file: Arc<File>,
    /// Bytes of complete lines.
    len: u64,
}

impl SpoolFile {
    /// Creates a file; `None` if another process adopted it before it was locked.
    pub fn create(folder: &Folder, name: String) -> io::Result<Option<Self>> {
        let path = folder.spool(&name);
        let file = folder.owned().create_new(true).read(true).append(true).open(&path)?;
        match file.try_lock() {
            Ok(()) if path.exists() => Ok(Some(Self { name, file: Arc::new(file), len: 0 })),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// Locks an abandoned file; `None` if another process holds it or it does not exist.
    pub fn adopt(folder: &Folder, name: &str) -> io::Result<Option<Self>> {
        let path = folder.spool(name);
        let file = match folder.owned().read(true).append(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            // A process that drained it removed it before unlocking it.
            Ok(()) if path.exists() => {
                let len = file.metadata()?.len();
                Ok(Some(Self { name: name.to_owned(), file: Arc::new(file), len }))
            }
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    #[must_use]
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Appends one line in one write. On failure, nothing of it remains.
    pub fn append(&mut self, line: &[u8]) -> io::Result<()> {
        match write_once(&self.file, line) {
            Ok(()) => {
                self.len += u64::try_from(line.len()).unwrap_or_default();
                Ok(())
            }
            Err(error) => {
                // A remaining part has a wrong checksum, but the next line would be read as its end.
                if self.file.set_len(self.len).is_err() {
                    let _torn = (&*self.file).write_all(b"\n");
                    self.len = self.file.metadata().map_or(self.len, |data| data.len());
                }
                Err(error)
            }
        }
    }

    /// A view of the file.
    #[must_use]
    pub fn view(&self, stage: Stage) -> SpoolView {
        SpoolView { name: self.name.clone(), len: self.len, stage, file: self.handle() }
    }

    /// A handle for syncing the file without blocking writes.
    #[must_use]
    pub fn handle(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Whether it still exists under its name; otherwise its contents are lost with this process.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        is_linked(&self.file)
    }

    /// Removes the file, then unlocks it.
    pub fn remove(self, folder: &Folder) -> io::Result<()> {
        self.remove_held(folder)
    }

    /// Removes the file, and keeps the handle.
    pub fn remove_held(&self, folder: &Folder) -> io::Result<()> {
        match remove_file(folder.spool(&self.name)) {
            // It was already removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

fn write_once(mut file: &File, line: &[u8]) -> io::Result<()> {
    // A partial write is an error: the rest would need a second, separate write.
    if file.write(line)? == line.len() { Ok(()) } else { Err(io::ErrorKind::StorageFull.into()) }
}

#[cfg(unix)]
fn is_linked(file: &File) -> bool {
    use std::os::unix::fs::MetadataExt;
    file.metadata().is_ok_and(|data| data.nlink() > 0)
}

#[cfg(not(unix))]
fn is_linked(_: &File) -> bool {
    true
}

/// Reads up to `most` bytes from `from` on, ending at `to` at the latest.
pub fn read_piece(file: &File, from: u64, to: u64, most: usize) -> io::Result<Vec<u8>> {
    let wanted = usize::try_from(to.saturating_sub(from)).unwrap_or(most).min(most);
    let mut piece = vec![0; wanted];
    let mut have = 0;
    while let Some(room) = piece.get_mut(have..).filter(|room| !room.is_empty()) {
        match read_at(file, room, from + u64::try_from(have).unwrap_or_default()) {
            Ok(0) => break,
            Ok(read) => have += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    piece.truncate(have);
    Ok(piece)
}

/// Reads at an offset, since others append through the same handle.
#[cfg(unix)]
fn read_at(file: &File, room: &mut [u8], from: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, from)
}

#[cfg(windows)]
fn read_at(file: &File, room: &mut [u8], from: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, from)
}

/// A spool file at one moment.
#[derive(Debug, Clone)]
pub struct SpoolView {
    pub name: String,
    pub len: u64,
    pub stage: Stage,
    pub file: Arc<File>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// More lines may be written.
    Growing,
    /// No more lines are written.
    Ended,
}
