//! Transaction control: begin, commit, rollback and savepoints.

use super::authorizer_callback::shadow_tables;
use super::limits::set_temporary_storage;
use super::session_control::SessionControl;
use super::sqlite_error::database_error;
use crate::rules::policy::SqlPolicy;
use crate::sql_error::SqlError;
use rusqlite::Connection;
use serde::Deserialize;
use std::sync::Arc;
use std::time::Duration;

/// The kind of transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum BeginMode {
    /// A snapshot, which can be upgraded to a writer if no other connection has written in the meantime.
    Read,
    /// Takes the write lock immediately, so that no other write can happen during the transaction.
    Write,
}

/// Begins a transaction with a policy and a time limit of each statement, which apply until the next one.
pub(super) fn begin(
    connection: &Connection,
    control: &Arc<SessionControl>,
    mode: BeginMode,
    policy: SqlPolicy,
    statement_timeout: Duration,
) -> Result<(), SqlError> {
    let sql = match mode {
        BeginMode::Read => "BEGIN DEFERRED",
        BeginMode::Write => "BEGIN IMMEDIATE",
    };
    if control.is_cancelled() {
        return Err(SqlError::Cancelled);
    }
    control.set_statement_timeout(statement_timeout);
    let (only_reads, has_table_rules) = (policy.only_reads(), policy.has_table_rules());
    let changed = control.with_authorizer(|authorizer| authorizer.set_policy(policy));
    let begun = control.run_internal(|| {
        if changed {
            // Cached statements were authorized under the previous policy.
            connection.flush_prepared_statement_cache();
            set_temporary_storage(connection, only_reads)?;
        }
        if !only_reads && control.needs_wal() {
            connection.pragma_update(None, "journal_mode", "wal")?;
            control.set_needs_wal(false);
        }
        connection.execute_batch(sql)?;
        if has_table_rules { shadow_tables(connection).map(Some) } else { Ok(None) }
    });
    let shadows = begun.map_err(|error| database_error(&error, control))?;
    control.with_authorizer(|authorizer| authorizer.set_shadows(shadows.unwrap_or_default()));
    Ok(())
}

pub(super) fn commit(connection: &Connection, control: &Arc<SessionControl>) -> Result<(), SqlError> {
    check_open(connection)?;
    control.set_deadline(None);
    control.run_internal(|| connection.execute_batch("COMMIT")).map_err(|error| database_error(&error, control))
}

fn check_open(connection: &Connection) -> Result<(), SqlError> {
    if !connection.is_autocommit() {
        return Ok(());
    }
    let message = "The database rolled the transaction back by itself, so nothing was committed.".to_owned();
    Err(SqlError::Database { message, code: None })
}

/// An action on a savepoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Savepoint {
    /// Creates it.
    Set,
    /// Releases it: the statements since are kept if the transaction commits.
    Keep,
    /// Rolls back to it and releases it.
    Undo,
}

/// Performs the action on the savepoint `number`.
pub(super) fn savepoint(
    connection: &Connection,
    control: &Arc<SessionControl>,
    action: Savepoint,
    number: u32,
) -> Result<(), SqlError> {
    // Outside a transaction, `SAVEPOINT` would begin one.
    check_open(connection)?;
    let sql = match action {
        Savepoint::Set => format!("SAVEPOINT tgp_{number}"),
        Savepoint::Keep => format!("RELEASE tgp_{number}"),
        Savepoint::Undo => format!("ROLLBACK TO tgp_{number}; RELEASE tgp_{number}"),
    };
    control.set_deadline(None);
    control.run_internal(|| connection.execute_batch(&sql)).map_err(|error| database_error(&error, control))
}

pub(super) fn rollback(connection: &Connection, control: &Arc<SessionControl>) -> Result<(), SqlError> {
    control.set_deadline(None);
    if connection.is_autocommit() {
        return Ok(());
    }
    control.run_internal(|| connection.execute_batch("ROLLBACK")).map_err(|error| database_error(&error, control))
}
