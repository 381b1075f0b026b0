//! Conversion of SQLite errors to [`SqlError`].

use super::heap::MAX_HEAP_BYTES;
use super::session_control::SessionControl;
use crate::sql_error::SqlError;
use rusqlite::{ErrorCode, ffi};
use std::sync::Arc;

/// Converts an SQLite error. Errors without a specific variant keep the message of SQLite.
pub(super) fn database_error(error: &rusqlite::Error, control: &Arc<SessionControl>) -> SqlError {
    let extended = error.sqlite_error().map(|inner| inner.extended_code);
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => SqlError::Cancelled,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) if control.is_cancelled() => SqlError::Cancelled,
        Some(ErrorCode::DatabaseBusy) if extended == Some(ffi::SQLITE_BUSY_SNAPSHOT) => SqlError::Conflict,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SqlError::Busy,
        Some(ErrorCode::OutOfMemory) => SqlError::OutOfMemory { megabytes: MAX_HEAP_BYTES >> 20 },
        Some(ErrorCode::TooBig) => SqlError::TooLong { limit: control.value_limit() },
        Some(ErrorCode::AuthorizationForStatementDenied) => SqlError::Refused {
            what: "the statement uses a table or an action that is not allowed".to_owned(),
            advice: "Use the tables and actions that the database owner allows.",
        },
        Some(code) => SqlError::Database { message: message_of(error), code: Some(format!("{code:?}")) },
        None => SqlError::Database { message: message_of(error), code: None },
    }
}

/// Maximum length of a message: longer ones quote the statement.
const MAX_MESSAGE_CHARS: usize = 500;

fn message_of(error: &rusqlite::Error) -> String {
    let message = if let rusqlite::Error::SqliteFailure(_, Some(message))
    | rusqlite::Error::SqlInputError { msg: message, .. } = error
    {
        message.clone()
    } else {
        error.to_string()
    };
    let short: String = message.chars().take(MAX_MESSAGE_CHARS).collect();
    let cut = if short.len() < message.len() { "…" } else { "" };
    format!("The database reported: {short}{cut}.")
}
