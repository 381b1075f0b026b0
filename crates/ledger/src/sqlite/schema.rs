//! The SQLite schema of a ledger.

use super::failure::{read_failure, write_failure};
use crate::ledger_error::LedgerError;
use rusqlite::{Connection, TransactionBehavior};

/// The schema version in `PRAGMA user_version`.
const VERSION: i64 = 1;

/// Small columns come first: a long content continues on overflow pages, which a query need not read. Names of sessions,
/// files and tools are long and few, so events refer to them by number.
const TABLES: [&str; 6] = [
    "CREATE TABLE names(id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE) STRICT",
    "CREATE TABLE events(seq INTEGER PRIMARY KEY, type INTEGER NOT NULL, at INTEGER NOT NULL, session INTEGER, path INTEGER, \
     tool INTEGER, call TEXT, parent TEXT, hash BLOB NOT NULL, content TEXT NOT NULL) STRICT",
    "CREATE TABLE blobs(hash BLOB NOT NULL PRIMARY KEY, last INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT",
    "CREATE TABLE checkpoints(size INTEGER NOT NULL, note TEXT NOT NULL, PRIMARY KEY(size, note)) STRICT, WITHOUT ROWID",
    "CREATE TABLE spools(name TEXT NOT NULL PRIMARY KEY, drained INTEGER NOT NULL) STRICT, WITHOUT ROWID",
    "CREATE TABLE base(one INTEGER PRIMARY KEY, size INTEGER NOT NULL, hash BLOB NOT NULL) STRICT",
];

/// An index of events: its column, its condition, and its statement.
pub struct Index {
    pub name: &'static str,
    pub column: &'static str,
    pub only: &'static str,
    sql: &'static str,
}

pub const INDEXES: [Index; 7] = [
    // Calls and results are most events, so finding them needs no index.
    Index {
        name: "events_type",
        column: "type",
        only: "type > 2",
        sql: "CREATE INDEX events_type ON events(type) WHERE type > 2",
    },
    Index { name: "events_at", column: "at", only: "at IS NOT NULL", sql: "CREATE INDEX events_at ON events(at)" },
    Index {
        name: "events_session",
        column: "session",
        only: "session IS NOT NULL",
        sql: "CREATE INDEX events_session ON events(session) WHERE session IS NOT NULL",
    },
    Index {
        name: "events_path",
        column: "path",
        only: "path IS NOT NULL",
        sql: "CREATE INDEX events_path ON events(path) WHERE path IS NOT NULL",
    },
    Index {
        name: "events_tool",
        column: "tool",
        only: "tool IS NOT NULL",
        sql: "CREATE INDEX events_tool ON events(tool) WHERE tool IS NOT NULL",
    },
    Index {
        name: "events_call",
        column: "call",
        only: "call IS NOT NULL",
        sql: "CREATE INDEX events_call ON events(call) WHERE call IS NOT NULL",
    },
    Index {
        name: "events_parent",
        column: "parent",
        only: "parent IS NOT NULL",
        sql: "CREATE INDEX events_parent ON events(parent) WHERE parent IS NOT NULL",
    },
];

/// Creates the tables of a new ledger; refuses a newer version.
pub fn prepare(connection: &mut Connection) -> Result<(), LedgerError> {
    if version(connection)? == VERSION {
        return Ok(());
    }
    // Two processes may do this at once; the second one finds the tables.
    let transaction =
        connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(|error| write_failure(&error))?;
    if version(&transaction)? == 0 {
        for sql in TABLES.into_iter().chain(INDEXES.iter().map(|index| index.sql)) {
            transaction.execute_batch(sql).map_err(|error| write_failure(&error))?;
        }
        transaction.pragma_update(None, "user_version", VERSION).map_err(|error| write_failure(&error))?;
    }
    transaction.commit().map_err(|error| write_failure(&error))?;
    check_version(connection)
}

/// Whether it is a new ledger, or its creation was interrupted.
pub fn is_without_tables(connection: &Connection) -> Result<bool, LedgerError> {
    Ok(version(connection)? == 0)
}

/// Checks that this version supports the ledger.
pub fn check_version(connection: &Connection) -> Result<(), LedgerError> {
    if version(connection)? > VERSION { Err(LedgerError::NewerSchema) } else { Ok(()) }
}

fn version(connection: &Connection) -> Result<i64, LedgerError> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0)).map_err(|error| read_failure(&error))
}

/// Whether tables and indexes are as `prepare` created them.
pub fn is_untouched(connection: &Connection) -> rusqlite::Result<bool> {
    let mut statement = connection.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")?;
    let mut found: Vec<String> = statement.query_map([], |row| row.get(0))?.collect::<Result<_, _>>()?;
    let mut expected: Vec<&str> = TABLES.into_iter().chain(INDEXES.iter().map(|index| index.sql)).collect();
    found.sort_unstable();
    expected.sort_unstable();
    Ok(found == expected)
}
