//! The ledger's folder: its files and their permissions.

use super::ledger_error::LedgerError;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use tgp_base::bounded_read::read_at_most;

/// The folder of a ledger's files.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// Creates the folder if it does not exist; only its owner may access it.
    pub fn make(path: &Path) -> Result<Self, LedgerError> {
        let folder = Self(path.to_owned());
        let mut builder = DirBuilder::new();
        builder.recursive(true);
        private_folder(&mut builder);
        for path in [path.to_owned(), folder.spools(), folder.lives()] {
            builder.create(path).map_err(|error| LedgerError::write(&error))?;
        }
        Ok(folder)
    }

    /// Creates an empty database file if it does not exist. SQLite gives its side files the same mode.
    pub fn make_database(&self) -> Result<(), LedgerError> {
        let made = self.owned().create(true).append(true).open(self.database());
        made.map(|_| ()).map_err(|error| LedgerError::write(&error))
    }

    /// The folder, without creating it.
    #[must_use]
    pub fn as_is(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// The folder of a database file.
    #[must_use]
    pub fn of_database(path: &Path) -> Self {
        Self(path.parent().unwrap_or(path).to_owned())
    }

    /// Recreates the folder if it was removed.
    pub fn remake(&self) -> Result<(), LedgerError> {
        Self::make(&self.0).map(|_| ())
    }

    #[must_use]
    pub fn database(&self) -> PathBuf {
        self.0.join("ledger.db")
    }

    #[must_use]
    pub fn spools(&self) -> PathBuf {
        self.0.join("spool")
    }

    #[must_use]
    pub fn spool(&self, name: &str) -> PathBuf {
        self.spools().join(format!("{name}.ndjson"))
    }

    /// The names of existing spools, sorted.
    pub fn spool_names(&self) -> io::Result<Vec<String>> {
        let mut names = names_in(&self.spools(), ".ndjson")?;
        names.sort_unstable();
        Ok(names)
    }

    fn lives(&self) -> PathBuf {
        self.0.join("life")
    }

    /// The lock file of a process.
    #[must_use]
    pub fn life(&self, process: &str) -> PathBuf {
        self.lives().join(process)
    }

    /// The ids of processes with a lock file.
    pub fn life_names(&self) -> io::Result<Vec<String>> {
        names_in(&self.lives(), "")
    }

    /// The length of a spool; `None` if it does not exist.
    pub fn spool_len(&self, name: &str) -> io::Result<Option<u64>> {
        match fs::metadata(self.spool(name)) {
            Ok(data) => Ok(Some(data.len())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads a small file; `None` if it does not exist or is longer than `limit`.
    pub fn read(&self, name: &str, limit: usize) -> io::Result<Option<Vec<u8>>> {
        match File::open(self.0.join(name)) {
            Ok(file) => read_at_most(file, limit, 0),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Opens a file for reading; `None` if it does not exist.
    pub fn open(&self, name: &str) -> io::Result<Option<File>> {
        match File::open(self.0.join(name)) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Creates a file atomically with this content; `AlreadyExists` if it exists.
    pub fn create(&self, name: &str, content: &[u8]) -> io::Result<()> {
        let mut mark = [0; 8];
        getrandom::fill(&mut mark).map_err(|_| io::Error::from(io::ErrorKind::Other))?;
        // A unique draft that no other process writes; it is linked below when complete.
        let draft = self.0.join(format!("{name}.{:016x}", u64::from_be_bytes(mark)));
        let written = self.owned().create_new(true).write(true).open(&draft).and_then(|mut file| {
            file.write_all(content)?;
            file.sync_all()
        });
        // A link, unlike a rename, does not replace an existing file.
        let made = written.and_then(|()| fs::hard_link(&draft, self.0.join(name)));
        let removed = fs::remove_file(&draft);
        made.and(removed)
    }

    /// Locks a file exclusively for the lifetime of the handle; creates it if needed.
    pub fn hold(&self, name: &str) -> io::Result<File> {
        let file = self.owned().create(true).append(true).open(self.0.join(name))?;
        file.lock()?;
        Ok(file)
    }

    /// Appends a text to a file, in one write.
    pub fn append(&self, name: &str, text: &str) -> io::Result<()> {
        let mut file = self.owned().create(true).append(true).open(self.0.join(name))?;
        file.write_all(text.as_bytes())?;
        file.sync_data()
    }

    /// Truncates a file by this number of bytes.
    pub fn cut(&self, name: &str, bytes: u64) -> io::Result<()> {
        let file = self.owned().write(true).open(self.0.join(name))?;
        let len = file.metadata()?.len();
        file.set_len(len.saturating_sub(bytes))
    }

    /// Options for files that only their owner may read.
    #[must_use]
    pub fn owned(&self) -> OpenOptions {
        let mut options = OpenOptions::new();
        private_file(&mut options);
        options
    }
}

/// The names of files with an extension, without the extension.
fn names_in(folder: &Path, ending: &str) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)? {
        let name = entry?.file_name();
        names.extend(name.to_str().and_then(|name| name.strip_suffix(ending)).map(str::to_owned));
    }
    Ok(names)
}

#[cfg(unix)]
fn private_folder(builder: &mut DirBuilder) {
    use std::os::unix::fs::DirBuilderExt;
    builder.mode(0o700);
}

#[cfg(not(unix))]
fn private_folder(_: &mut DirBuilder) {}

#[cfg(unix)]
fn private_file(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    options.mode(0o600);
}

#[cfg(not(unix))]
fn private_file(_: &mut OpenOptions) {}
