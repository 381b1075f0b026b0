//! The beginning and the ends of a transaction.

use super::query::database_error;
use super::session::SessionControl;
use super::sql_error::SqlError;
use rusqlite::Connection;
use serde::Deserialize;
use std::sync::Arc;

/// What a transaction will need.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BeginMode {
    /// A snapshot, which becomes a writer when nobody else has written meanwhile.
    Read,
    /// The write lock at once, so that nothing can come between the first read and the last write.
    Write,
}

pub(super) fn begin(connection: &Connection, control: &Arc<SessionControl>, mode: BeginMode) -> Result<(), SqlError> {
    let sql = match mode {
        BeginMode::Read => "BEGIN DEFERRED",
        BeginMode::Write => "BEGIN IMMEDIATE",
    };
    if control.is_cancelled() {
        return Err(SqlError::Cancelled);
    }
    control.own(|| connection.execute_batch(sql)).map_err(|error| database_error(&error, control))
}

pub(super) fn commit(connection: &Connection, control: &Arc<SessionControl>) -> Result<(), SqlError> {
    if connection.is_autocommit() {
        return Err(SqlError::Database {
            message: "The database rolled the transaction back by itself, so nothing was committed.".to_owned(),
            code: None,
        });
    }
    control.set_deadline(None);
    control.own(|| connection.execute_batch("COMMIT")).map_err(|error| database_error(&error, control))
}

pub(super) fn rollback(connection: &Connection, control: &Arc<SessionControl>) -> Result<(), SqlError> {
    control.set_deadline(None);
    if connection.is_autocommit() {
        return Ok(());
    }
    control.own(|| connection.execute_batch("ROLLBACK")).map_err(|error| database_error(&error, control))
}
