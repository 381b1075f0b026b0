//! An embedded SQLite database: its options, and the setup of its connections.

use super::authorizer_callback::install_authorizer;
use super::functions::install::install;
use super::heap::{self, HeapQuota};
use super::limits::{MAX_VALUE_BYTES, USUAL_VALUE_BYTES, set_limits};
use super::session::Session;
use super::session_control::SessionControl;
use crate::sql_error::SqlError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Options to open a database.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseOptions {
    /// A path, or `:memory:`.
    pub file: String,
    /// How long to wait for another process that holds the lock; at most the time limit of the statement.
    pub busy_timeout_ms: u64,
    /// Set for a file that the application has open itself.
    #[serde(default)]
    pub shared: Option<SharedFile>,
}

/// Settings of the application's own connection. The file keeps its journal mode, and is never created.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedFile {
    pub read_only: bool,
    pub foreign_keys: bool,
    /// The value of `PRAGMA synchronous`.
    pub synchronous: u8,
}

/// A database that sessions can be opened on.
#[derive(Debug)]
pub struct Database {
    options: DatabaseOptions,
    heap: Arc<HeapQuota>,
}

/// Prepared statements cached per connection.
const CACHED_STATEMENTS: usize = 32;

impl Database {
    #[must_use]
    pub fn new(options: DatabaseOptions) -> Self {
        Self { options, heap: Arc::new(HeapQuota::new()) }
    }

    /// Opens a connection with its own thread.
    pub fn connect(&self) -> Result<Session, SqlError> {
        heap::install();
        let (options, heap) = (self.options.clone(), Arc::clone(&self.heap));
        Session::start(move |control| {
            heap.enter();
            open(&options, control)
        })
    }
}

fn open(options: &DatabaseOptions, control: &Arc<SessionControl>) -> Result<Connection, SqlError> {
    let access = match options.shared {
        None => OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE,
        Some(SharedFile { read_only: true, .. }) => OpenFlags::SQLITE_OPEN_READ_ONLY,
        Some(_) => OpenFlags::SQLITE_OPEN_READ_WRITE,
    };
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let mut connection = Connection::open_with_flags(&options.file, flags).map_err(|error| {
        // The message of SQLite contains the path of the file.
        let code = error.sqlite_error_code().map(|code| format!("{code:?}"));
        SqlError::Database {
            message: "The database file cannot be opened. Check its folder and its permissions.".to_owned(),
            code,
        }
    })?;
    set_busy_handler(&mut connection, Duration::from_millis(options.busy_timeout_ms), Arc::clone(control))
        .and_then(|()| set_up(&connection, options.shared, control))
        .map_err(|error| super::sqlite_error::database_error(&error, control))?;
    // The application's file may already contain longer values; with a lower limit, their rows could not be changed.
    control.set_min_value_limit(if options.shared.is_some() { MAX_VALUE_BYTES } else { USUAL_VALUE_BYTES });
    // The first transaction that may write switches to WAL, so a file that is only read keeps its journal mode.
    control.set_needs_wal(options.shared.is_none());
    let progress = Arc::clone(control);
    connection
        .progress_handler(OPERATIONS_BETWEEN_CHECKS, Some(move || progress.must_stop()))
        .and_then(|()| install_authorizer(&mut connection, Arc::clone(control)))
        .map_err(|error| super::sqlite_error::database_error(&error, control))?;
    Ok(connection)
}

/// Virtual machine operations between two checks of the deadline. Each may process a value of maximum length.
const OPERATIONS_BETWEEN_CHECKS: i32 = 200;

fn set_up(connection: &Connection, shared: Option<SharedFile>, control: &Arc<SessionControl>) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    if let Some(SharedFile { foreign_keys, synchronous, .. }) = shared {
        connection.pragma_update(None, "synchronous", synchronous)?;
        connection.pragma_update(None, "foreign_keys", foreign_keys)?;
    } else {
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "foreign_keys", true)?;
    }
    for (setting, value) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DML, false),
        (DbConfig::SQLITE_DBCONFIG_DQS_DDL, false),
    ] {
        connection.set_db_config(setting, value)?;
    }
    set_limits(connection)?;
    install(connection, control)
}

const MAX_LOCK_SLEEP: Duration = Duration::from_millis(20);

/// Sets a busy handler that waits for locks in short sleeps, so that a cancellation and the end of the statement's time are noticed.
fn set_busy_handler(connection: &mut Connection, most: Duration, control: Arc<SessionControl>) -> rusqlite::Result<()> {
    let mut started = Instant::now();
    connection.busy_handler(Some(move |attempt: i32| {
        if attempt == 0 {
            started = Instant::now();
        }
        if started.elapsed() >= most || control.must_stop_waiting() {
            return false;
        }
        std::thread::sleep(Duration::from_millis(u64::from(attempt.unsigned_abs()) + 1).min(MAX_LOCK_SLEEP));
        true
    }))
}
