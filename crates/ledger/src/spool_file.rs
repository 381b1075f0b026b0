//! One file of a spool: lines of events, held by its writer for as long as that lives.

use super::folder::Folder;
use super::spool_view::{Stage, View};
use std::fs::{File, TryLockError, remove_file};
use std::io::{self, Write};
use std::sync::Arc;

/// A spool file that this process holds; letting go of it lets others drain it.
pub struct SpoolFile {
    pub name: String,
    file: Arc<File>,
    /// Bytes of whole lines.
    len: u64,
}

impl SpoolFile {
    /// A new file; `None` when somebody took it for abandoned before it was held.
    pub fn create(folder: &Folder, name: String) -> io::Result<Option<Self>> {
        let path = folder.spool(&name);
        let file = folder.owned().create_new(true).read(true).append(true).open(&path)?;
        match file.try_lock() {
            Ok(()) if path.exists() => Ok(Some(Self { name, file: Arc::new(file), len: 0 })),
            Ok(()) | Err(TryLockError::WouldBlock) => Ok(None),
            Err(TryLockError::Error(error)) => Err(error),
        }
    }

    /// A file that nobody holds any more, held now by us; `None` when somebody does, or it is gone.
    pub fn adopt(folder: &Folder, name: &str) -> io::Result<Option<Self>> {
        let path = folder.spool(name);
        let file = match folder.owned().read(true).append(true).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        match file.try_lock() {
            // Whoever drained it removed it before letting go.
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

    /// Appends one line in one write. When it fails, nothing of it stays.
    pub fn append(&mut self, line: &[u8]) -> io::Result<()> {
        match write_once(&self.file, line) {
            Ok(()) => {
                self.len += u64::try_from(line.len()).unwrap_or_default();
                Ok(())
            }
            Err(error) => {
                // A part that stays is told by its checksum; the next line would be taken for its end.
                if self.file.set_len(self.len).is_err() {
                    let _torn = (&*self.file).write_all(b"\n");
                    self.len = self.file.metadata().map_or(self.len, |data| data.len());
                }
                Err(error)
            }
        }
    }

    /// The file as it is now.
    #[must_use]
    pub fn view(&self, stage: Stage) -> View {
        View { name: self.name.clone(), len: self.len, stage, file: self.handle() }
    }

    /// A handle that syncs the file without holding it up.
    #[must_use]
    pub fn handle(&self) -> Arc<File> {
        Arc::clone(&self.file)
    }

    /// Whether it still has its name: one without would be gone with this process.
    #[must_use]
    pub fn is_in_place(&self) -> bool {
        is_linked(&self.file)
    }

    /// Removes the file, then lets go of it.
    pub fn remove(self, folder: &Folder) -> io::Result<()> {
        self.remove_held(folder)
    }

    /// Removes the file, and holds on to what has no name any more.
    pub fn remove_held(&self, folder: &Folder) -> io::Result<()> {
        match remove_file(folder.spool(&self.name)) {
            // Somebody took it away before.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed,
        }
    }
}

fn write_once(mut file: &File, line: &[u8]) -> io::Result<()> {
    // The rest of a line that did not fit at once cannot follow: another write would not be the same moment.
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

/// Up to `most` bytes of a file from `from` on, ending at `to` at the latest.
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

/// Reads at a place of its own: others append through the same handle.
#[cfg(unix)]
fn read_at(file: &File, room: &mut [u8], from: u64) -> io::Result<usize> {
    std::os::unix::fs::FileExt::read_at(file, room, from)
}

#[cfg(windows)]
fn read_at(file: &File, room: &mut [u8], from: u64) -> io::Result<usize> {
    std::os::windows::fs::FileExt::seek_read(file, room, from)
}
