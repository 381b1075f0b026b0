//! The SQLite file: opened by several processes, rebuilt when it is damaged or of another version.

use crate::graph_error::{GraphError, StoreFault};
use rusqlite::{Connection, ErrorCode, TransactionBehavior};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The schema version in `PRAGMA user_version`. Another one is replaced: everything can be read again.
const VERSION: i64 = 1;
/// How long a process waits for another writer.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_millis(5);

const TABLES: [&str; 3] = [
    "CREATE TABLE repositories(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT",
    // In the order of `seq`, parents come before their children.
    "CREATE TABLE commits(seq INTEGER PRIMARY KEY, repository INTEGER NOT NULL, hash BLOB NOT NULL, record BLOB NOT NULL, \
     UNIQUE(repository, hash)) STRICT",
    "CREATE TABLE facts(blob BLOB NOT NULL, place INTEGER NOT NULL, facts BLOB NOT NULL, PRIMARY KEY(blob, place)) STRICT",
];

/// Opens or creates the file. A file that cannot be used is removed once.
pub fn open(file: &Path) -> Result<Connection, GraphError> {
    let _lock = lock(file)?;
    match opened(file) {
        Ok(Some(connection)) => Ok(connection),
        Err(error) if fault(&error) != StoreFault::Damaged => Err(store_error(&error)),
        Err(_) | Ok(None) => create(file),
    }
}

/// Replaces a file that is damaged. Other processes that have it open keep using theirs until they open it again.
pub fn rebuild(file: &Path) -> Result<(), GraphError> {
    let _lock = lock(file)?;
    create(file).map(drop)
}

fn create(file: &Path) -> Result<Connection, GraphError> {
    for ending in ["-wal", "-shm", ""] {
        // What cannot be removed makes the next attempt fail.
        let _missing = std::fs::remove_file(beside(file, ending));
    }
    opened(file).map_err(|error| store_error(&error))?.ok_or(GraphError::Store(StoreFault::Damaged))
}

/// Held while a process opens or replaces the file, so that none removes what another one has just made.
fn lock(file: &Path) -> Result<File, GraphError> {
    let failed = |error: &io::Error| {
        if error.kind() == io::ErrorKind::StorageFull {
            StoreFault::DiskFull
        } else if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::NotFound) {
            StoreFault::NotAllowed
        } else {
            StoreFault::Refused
        }
    };
    let lock = File::options().create(true).append(true).open(beside(file, ".lock"));
    let locked = lock.and_then(|lock| lock.lock().map(|()| lock));
    locked.map_err(|error| GraphError::Store(failed(&error)))
}

fn beside(file: &Path, ending: &str) -> PathBuf {
    let mut name = file.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Retries while another process closes the file, for which SQLite ignores its busy timeout.
fn opened(file: &Path) -> rusqlite::Result<Option<Connection>> {
    let until = Instant::now() + BUSY_TIMEOUT;
    loop {
        match attempt(file) {
            Err(error) if fault(&error) == StoreFault::Busy && Instant::now() < until => sleep(PAUSE),
            outcome => return outcome,
        }
    }
}

/// `None` of a file with another schema.
fn attempt(file: &Path) -> rusqlite::Result<Option<Connection>> {
    let mut connection = Connection::open(file)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    // A cache: what a power failure loses is read again.
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "cache_size", -8192)?;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let version: i64 = transaction.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = transaction.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    if version == 0 && tables == 0 {
        for sql in TABLES {
            transaction.execute_batch(sql)?;
        }
        transaction.pragma_update(None, "user_version", VERSION)?;
    } else if version != VERSION {
        return Ok(None);
    }
    // Fails now instead of later if a table is missing.
    transaction
        .query_row("SELECT count(*) FROM repositories, (SELECT 1 FROM commits, facts LIMIT 1)", [], |_| Ok(()))?;
    transaction.commit()?;
    Ok(Some(connection))
}

pub fn fault(error: &rusqlite::Error) -> StoreFault {
    let Some(code) = error.sqlite_error_code() else {
        // Values with other types than their columns.
        return StoreFault::Damaged;
    };
    if code == ErrorCode::DiskFull {
        StoreFault::DiskFull
    } else if matches!(code, ErrorCode::PermissionDenied | ErrorCode::ReadOnly | ErrorCode::CannotOpen) {
        StoreFault::NotAllowed
    } else if matches!(code, ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed)
    {
        StoreFault::Busy
    } else if matches!(
        code,
        ErrorCode::DatabaseCorrupt
            | ErrorCode::NotADatabase
            | ErrorCode::ConstraintViolation
            | ErrorCode::TypeMismatch
            | ErrorCode::SchemaChanged
            | ErrorCode::Unknown
            | ErrorCode::TooBig
    ) {
        StoreFault::Damaged
    } else {
        StoreFault::Refused
    }
}

pub fn store_error(error: &rusqlite::Error) -> GraphError {
    GraphError::Store(fault(error))
}
