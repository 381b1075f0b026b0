//! Registration flags of the functions.

use rusqlite::functions::FunctionFlags;

/// The flags of built-in functions, which are allowed in indexes, views and constraints.
pub fn flags() -> FunctionFlags {
    FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC | FunctionFlags::SQLITE_INNOCUOUS
}
