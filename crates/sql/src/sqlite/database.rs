//! An embedded SQLite database: a file, and the way connections to it are set up.

use super::functions::install::install;
use super::guard::guard;
use super::heap::{self, HeapShare};
use super::limits::{MAX_VALUE_BYTES, USUAL_VALUE_BYTES, set_limits};
use super::session::Session;
use super::session_control::SessionControl;
use crate::sql_error::SqlError;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// How a database is opened.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct DatabaseOptions {
    /// A path, or `:memory:`.
    pub file: String,
    /// How long to wait for another process that holds the lock.
    pub busy_timeout_ms: u64,
    /// Given for a file that the application has open itself.
    #[serde(default)]
    pub shared: Option<SharedFile>,
}

/// What the application's own connection says of its file. It keeps its journal mode, and is never made anew.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct SharedFile {
    pub read_only: bool,
    pub foreign_keys: bool,
    /// SQLite's number for how often a commit waits for the disk.
    pub synchronous: u8,
}

/// A database that sessions can be opened on.
#[derive(Debug)]
pub struct Database {
    options: DatabaseOptions,
    heap: Arc<HeapShare>,
}

/// Prepared statements that a connection remembers.
const CACHED_STATEMENTS: usize = 32;

impl Database {
    #[must_use]
    pub fn new(options: DatabaseOptions) -> Self {
        Self { options, heap: Arc::new(HeapShare::new()) }
    }

    /// Opens a connection with a thread of its own.
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
        // SQLite's own text holds the path of the file.
        let code = error.sqlite_error_code().map(|code| format!("{code:?}"));
        SqlError::Database {
            message: "The database file cannot be opened. Check its folder and its permissions.".to_owned(),
            code,
        }
    })?;
    wait_for_others(&mut connection, Duration::from_millis(options.busy_timeout_ms), Arc::clone(control))
        .and_then(|()| set_up(&connection, options.shared, control))
        .map_err(|error| super::sqlite_error::database_error(&error, control))?;
    // The application's own file may hold longer values already, and a row with one could not even be changed.
    control.set_least_longest(if options.shared.is_some() { MAX_VALUE_BYTES } else { USUAL_VALUE_BYTES });
    // A file that is only read keeps its journal mode: the first transaction that may write changes it.
    control.set_awaits_wal(options.shared.is_none());
    let watch = Arc::clone(control);
    connection
        .progress_handler(OPERATIONS_BETWEEN_LOOKS, Some(move || watch.must_stop()))
        .and_then(|()| guard(&mut connection, Arc::clone(control)))
        .map_err(|error| super::sqlite_error::database_error(&error, control))?;
    Ok(connection)
}

/// Virtual machine operations between two looks at the clock. Each may work on a value as long as values may be.
const OPERATIONS_BETWEEN_LOOKS: i32 = 200;

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

const MAX_NAP: Duration = Duration::from_millis(20);

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
        let nap = Duration::from_millis(u64::from(attempt.unsigned_abs()) + 1).min(MAX_NAP);
        std::thread::sleep(nap);
        waited += nap;
        true
    }))
}
