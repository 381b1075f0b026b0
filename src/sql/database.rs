//! An embedded SQLite database: a file, and the way connections to it are set up.

use super::session::{Session, SessionControl};
use super::sql_error::SqlError;
use super::sqlite_guard::guard;
use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// How a database is opened.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseOptions {
    /// A path, or `:memory:`.
    pub file: String,
    /// How long to wait for another process that holds the lock.
    pub busy_timeout_ms: u64,
}

/// A database that sessions can be opened on.
#[derive(Debug)]
pub struct Database {
    options: DatabaseOptions,
}

/// Prepared statements that a connection remembers.
const CACHED_STATEMENTS: usize = 64;

impl Database {
    #[must_use]
    pub fn new(options: DatabaseOptions) -> Self {
        Self { options }
    }

    /// Opens a connection with a thread of its own.
    pub fn connect(&self) -> Result<Session, SqlError> {
        let options = self.options.clone();
        Session::start(move |control| open(&options, control))
    }
}

fn open(options: &DatabaseOptions, control: &Arc<SessionControl>) -> Result<Connection, SqlError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let mut connection = Connection::open_with_flags(&options.file, flags).map_err(|error| {
        // SQLite's own text holds the path of the file.
        let code = error.sqlite_error_code().map(|code| format!("{code:?}"));
        SqlError::Database {
            message: "The database file cannot be opened. Check its folder and its permissions.".to_owned(),
            code,
        }
    })?;
    wait_for_others(&mut connection, Duration::from_millis(options.busy_timeout_ms), Arc::clone(control))
        .and_then(|()| set_up(&connection))
        .map_err(|error| super::query::database_error(&error, control))?;
    let watch = Arc::clone(control);
    connection
        .progress_handler(OPERATIONS_BETWEEN_LOOKS, Some(move || watch.must_stop()))
        .and_then(|()| guard(&mut connection, Arc::clone(control)))
        .map_err(|error| super::query::database_error(&error, control))?;
    Ok(connection)
}

/// Virtual machine operations between two looks at the clock.
const OPERATIONS_BETWEEN_LOOKS: i32 = 1_000;

fn set_up(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    connection.pragma_update(None, "journal_mode", "wal")?;
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    for (setting, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(setting, value)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    Ok(())
}

const LONGEST_NAP: Duration = Duration::from_millis(20);

/// Waits for locks of others in short naps, so that a cancellation is seen.
fn wait_for_others(connection: &mut Connection, most: Duration, control: Arc<SessionControl>) -> rusqlite::Result<()> {
    let mut waited = Duration::ZERO;
    connection.busy_handler(Some(move |attempt: i32| {
        if attempt == 0 {
            waited = Duration::ZERO;
        }
        if waited >= most || control.must_stop() {
            return false;
        }
        let nap = Duration::from_millis(u64::from(attempt.unsigned_abs()) + 1).min(LONGEST_NAP);
        std::thread::sleep(nap);
        waited += nap;
        true
    }))
}
