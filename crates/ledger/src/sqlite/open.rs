//! Opens the SQLite file, concurrently with other processes.

use super::failure::{read_failure, write_failure};
use super::schema;
use crate::durability::{Access, Durability};
use crate::folder::Folder;
use crate::ledger_error::{LedgerError, Reason};
use rusqlite::{Connection, ErrorCode, OpenFlags};
use std::fs::OpenOptions;
use std::io;
use std::path::Path;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long a process waits for another writer.
pub const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

/// Retries while another process holds the file. SQLite ignores its busy timeout while the last process closes the file or the
/// first one initialises it.
pub fn retry_while_busy<T>(mut attempt: impl FnMut() -> Result<T, LedgerError>) -> Result<T, LedgerError> {
    let until = Instant::now() + BUSY_TIMEOUT;
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
    retry_while_busy(|| open_writer(path, durability))
}

fn open_writer(path: &Path, durability: Durability) -> Result<Connection, LedgerError> {
    let mut connection = plain_writer(path, durability)?;
    schema::prepare(&mut connection)?;
    Ok(connection)
}

/// Opens a file that only its owner may read, and creates it without tables if needed. The caller handles `Busy`.
pub fn private_writer_of(path: &Path) -> Result<Connection, LedgerError> {
    let made = Folder::of_database(path).owned().create(true).append(true).open(path);
    made.map_err(|error| LedgerError::write(&error))?;
    plain_writer(path, Durability::Process)
}

fn plain_writer(path: &Path, durability: Durability) -> Result<Connection, LedgerError> {
    let open = || {
        let connection = Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        // Applies to a new file; an existing one changes only with a VACUUM.
        connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        // The first switch to WAL needs exclusive access, so it may wait for other processes.
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

/// Syncs the WAL to the disk.
pub fn sync_wal(path: &Path) -> Result<(), LedgerError> {
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    match OpenOptions::new().write(true).open(wal).and_then(|wal| wal.sync_data()) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        synced => synced.map_err(|error| LedgerError::write(&error)),
    }
}

/// A connection that only reads. With `ReadWrite` it may still remove the WAL when it is the last one that closes.
pub fn reader_of(path: &Path, access: Access) -> Result<Connection, LedgerError> {
    retry_while_busy(|| open_reader(path, access))
}

fn open_reader(path: &Path, access: Access) -> Result<Connection, LedgerError> {
    let flags = OpenFlags::SQLITE_OPEN_NO_MUTEX
        | match access {
            Access::ReadOnly => OpenFlags::SQLITE_OPEN_READ_ONLY,
            Access::ReadWrite => OpenFlags::SQLITE_OPEN_READ_WRITE,
        };
    let open = || {
        let connection = Connection::open_with_flags(path, flags)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.pragma_update(None, "query_only", true)?;
        let _version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        Ok(connection)
    };
    let opened = open().or_else(|error: rusqlite::Error| match error.sqlite_error_code() {
        Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly) => unchanging(path),
        Some(_) | None => Err(error),
    });
    opened.map_err(|error| read_failure(&error))
}

/// Opens the file as immutable, for places where the WAL index cannot be created.
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
