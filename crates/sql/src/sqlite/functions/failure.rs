//! Errors of functions.

use rusqlite::{Error, ffi};

/// The error of an interrupted statement.
pub fn interrupted() -> Error {
    failure(ffi::SQLITE_INTERRUPT)
}

/// An error with an SQLite error code.
pub fn failure(code: i32) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), None)
}

/// An error with a message.
pub fn failure_with_message(message: &str) -> Error {
    Error::UserFunctionError(message.into())
}
