//! How a function fails.

use rusqlite::{Error, ffi};

/// What a statement ends with that was told to stop.
pub fn interrupted() -> Error {
    failure(ffi::SQLITE_INTERRUPT)
}

/// A failure that SQLite knows by its code.
pub fn failure(code: i32) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), None)
}

/// A failure that says what is wrong.
pub fn failure_saying(message: &str) -> Error {
    Error::UserFunctionError(message.into())
}
