//! The beginning and the ends of a transaction.

use super::guard::shadows;
use super::limits::set_temporary_storage;
use super::session_control::SessionControl;
use super::sqlite_error::database_error;
use crate::rules::policy::SqlPolicy;
use crate::sql_error::SqlError;
use rusqlite::Connection;
use serde::Deserialize;
use std::sync::Arc;

/// What a transaction will need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum BeginMode {
    /// A snapshot, which becomes a writer when nobody else has written meanwhile.
    Read,
    /// The write lock at once, so that nothing can come between the first read and the last write.
    Write,
}

/// Begins under rules, which hold until the next beginning.
pub(super) fn begin(
    connection: &Connection,
    control: &Arc<SessionControl>,
    mode: BeginMode,
    policy: SqlPolicy,
) -> Result<(), SqlError> {
    let sql = match mode {
        BeginMode::Read => "BEGIN DEFERRED",
        BeginMode::Write => "BEGIN IMMEDIATE",
    };
    if control.is_cancelled() {
        return Err(SqlError::Cancelled);
    }
    let (only_reads, tells_tables_apart) = (policy.only_reads(), policy.tells_tables_apart());
    let others = control.with_watch(|watch| watch.set_policy(policy));
    let begun = control.own(|| {
        if others {
            // Statements that were prepared under other rules.
            connection.flush_prepared_statement_cache();
            set_temporary_storage(connection, only_reads)?;
        }
        if !only_reads && control.awaits_wal() {
            connection.pragma_update(None, "journal_mode", "wal")?;
            control.set_awaits_wal(false);
        }
        connection.execute_batch(sql)?;
        if tells_tables_apart { shadows(connection).map(Some) } else { Ok(None) }
    });
    let shadows = begun.map_err(|error| database_error(&error, control))?;
    control.with_watch(|watch| watch.set_shadows(shadows.unwrap_or_default()));
    Ok(())
}

pub(super) fn commit(connection: &Connection, control: &Arc<SessionControl>) -> Result<(), SqlError> {
    check_open(connection)?;
    control.set_deadline(None);
    control.own(|| connection.execute_batch("COMMIT")).map_err(|error| database_error(&error, control))
}

fn check_open(connection: &Connection) -> Result<(), SqlError> {
    if !connection.is_autocommit() {
        return Ok(());
    }
    let message = "The database rolled the transaction back by itself, so nothing was committed.".to_owned();
    Err(SqlError::Database { message, code: None })
}

/// What becomes of the statements since a place within a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Savepoint {
    /// The place is here.
    Set,
    /// They stay, if the transaction does.
    Keep,
    Undo,
}

/// `number` names the place.
pub(super) fn savepoint(
    connection: &Connection,
    control: &Arc<SessionControl>,
    action: Savepoint,
    number: u32,
) -> Result<(), SqlError> {
    // Outside of a transaction it would begin one.
    check_open(connection)?;
    let sql = match action {
        Savepoint::Set => format!("SAVEPOINT tgp_{number}"),
        Savepoint::Keep => format!("RELEASE tgp_{number}"),
        Savepoint::Undo => format!("ROLLBACK TO tgp_{number}; RELEASE tgp_{number}"),
    };
    control.set_deadline(None);
    control.own(|| connection.execute_batch(&sql)).map_err(|error| database_error(&error, control))
}

pub(super) fn rollback(connection: &Connection, control: &Arc<SessionControl>) -> Result<(), SqlError> {
    control.set_deadline(None);
    if connection.is_autocommit() {
        return Ok(());
    }
    control.own(|| connection.execute_batch("ROLLBACK")).map_err(|error| database_error(&error, control))
}
