//! Functions of SQLite that take as long as the product of their arguments, or go as deep as one of them is long. Nothing
//! can stop them from outside, so that one call on two megabytes would hold its thread and its locks for hours, and a
//! pattern of many wildcards would end the process. These give the same answers and stop when they are told to.

mod argument;
mod limited;
mod pattern;
mod search;
mod trim;

use super::session::SessionControl;
use argument::Texts;
use rusqlite::functions::FunctionFlags;
use rusqlite::{Connection, Error, ffi};
use std::sync::Arc;

/// What the built-in functions are: they may stand in indexes, views and constraints.
fn flags() -> FunctionFlags {
    FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS
}

pub fn install(connection: &Connection, control: &Arc<SessionControl>) -> rusqlite::Result<()> {
    let texts = Arc::new(Texts::default());
    pattern::install(connection, control, &texts)?;
    search::install(connection, control, &texts)?;
    trim::install(connection, &texts)?;
    limited::install(connection, control, &texts)
}

/// What a statement ends with that was told to stop.
pub fn interrupted() -> Error {
    failure(ffi::SQLITE_INTERRUPT)
}

/// A failure that SQLite knows by its code.
fn failure(code: i32) -> Error {
    Error::SqliteFailure(ffi::Error::new(code), None)
}

/// A failure that says what is wrong.
fn told(message: &str) -> Error {
    Error::UserFunctionError(message.into())
}

#[cfg(test)]
mod tests;
