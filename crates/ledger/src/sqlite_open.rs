//! Opening the SQLite file, with others who do the same.

use super::durability::Durability;
use super::folder::Folder;
use super::ledger_error::{LedgerError, Reason};
use super::sqlite_failure::{read_failure, write_failure};
use super::sqlite_schema;
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a process waits for another that writes.
pub const PATIENCE: Duration = Duration::from_secs(10);

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(5);

/// Tries again while another process holds the file: where the last one closes it, or the first one makes it ready, SQLite says
/// so at once, whatever time it was given.
pub fn patiently<T>(mut attempt: impl FnMut() -> Result<T, LedgerError>) -> Result<T, LedgerError> {
    let until = Instant::now() + PATIENCE;
    loop {
        match attempt() {
            Err(LedgerError::Unwritable(Reason::Busy) | LedgerError::Unreadable(Reason::Busy))
                if Instant::now() < until =>
            {
                sleep(PAUSE);
            }
            made => return made,
        }
    }
}

pub fn writer_of(path: &Path, durability: Durability) -> Result<Connection, LedgerError> {
    patiently(|| open_writer(path, durability))
}

fn open_writer(path: &Path, durability: Durability) -> Result<Connection, LedgerError> {
    let mut connection = plain_writer(path, durability)?;
    sqlite_schema::prepare(&mut connection)?;
    Ok(connection)
}

/// A file that only its owner may read, made when it is not there; it has no tables yet. Busy is for the caller to wait out.
pub fn private_writer_of(path: &Path) -> Result<Connection, LedgerError> {
    let made = Folder::of_database(path).owned().create(true).append(true).open(path);
    made.map_err(|error| LedgerError::write(&error))?;
    plain_writer(path, Durability::Process)
}

fn plain_writer(path: &Path, durability: Durability) -> Result<Connection, LedgerError> {
    let open = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(PATIENCE)?;
        // For a file that is new; another becomes so when it is rewritten as a whole.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        // The switch to WAL wants the file for itself, once; others who open it at the same time make it wait.
        connection.pragma_update(None, "journal_mode", "WAL")?;
        let synchronous = match durability {
            Durability::Process => "NORMAL",
            Durability::Power => "FULL",
        };
        connection.pragma_update(None, "synchronous", synchronous)?;
        Ok(connection)
    };
    open().map_err(|error| write_failure(&error))
}

/// Has the log of changes that are not in the file yet written to the disk.
pub fn sync_wal(path: &Path) -> Result<(), LedgerError> {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    match OpenOptions::new().write(true).open(wal).and_then(|wal| wal.sync_data()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        synced => synced.map_err(|error| LedgerError::write(&error)),
    }
}

pub fn reader_of(path: &Path) -> Result<Connection, LedgerError> {
    patiently(|| open_reader(path))
}

fn open_reader(path: &Path) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(PATIENCE)?;
        let _version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok(connection)
    };
    let opened = open().or_else(|error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => unchanging(path),
        Some(_) | None => Err(error),
    });
    opened.map_err(|error| read_failure(&error))
}

/// Where not even the index of the WAL can be made, the file is read as one that nobody changes.
fn unchanging(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let mut uri = "file:".to_owned();
    for byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'/' | b'.' | b'-' | b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => uri.push(char::from(*byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.push_str("?immutable=1");
    Connection::open_with_flags(uri, flags)
}
