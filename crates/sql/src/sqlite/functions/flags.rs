//! How SQLite is told of a function.

use rusqlite::functions::FunctionFlags;

/// What the built-in functions are: they may stand in indexes, views and constraints.
pub fn flags() -> FunctionFlags {
    FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS
}
