//! The allowed PRAGMAs of SQLite: those that only read.

use crate::parsing::token::Tokens;
use crate::sql_error::{SqlError, refused, shortened};

/// PRAGMAs that only read, with or without an argument in parentheses.
const PRAGMAS: &[&str] = &[
    "TABLE_INFO",
    "TABLE_XINFO",
    "TABLE_LIST",
    "INDEX_LIST",
    "INDEX_INFO",
    "INDEX_XINFO",
    "FOREIGN_KEY_LIST",
    "FOREIGN_KEY_CHECK",
    "INTEGRITY_CHECK",
    "QUICK_CHECK",
];

/// PRAGMAs whose argument is a table.
const PRAGMAS_OF_A_TABLE: &[&str] =
    &["TABLE_INFO", "TABLE_XINFO", "INDEX_LIST", "FOREIGN_KEY_LIST", "FOREIGN_KEY_CHECK"];

/// PRAGMAs that only read if they have no argument.
const BARE_PRAGMAS: &[&str] = &[
    "COMPILE_OPTIONS",
    "USER_VERSION",
    "SCHEMA_VERSION",
    "ENCODING",
    "PAGE_COUNT",
    "PAGE_SIZE",
    "FREELIST_COUNT",
    "COLLATION_LIST",
    "FUNCTION_LIST",
    "MODULE_LIST",
    "PRAGMA_LIST",
    "FOREIGN_KEYS",
    "JOURNAL_MODE",
    "APPLICATION_ID",
    // Used by full-text search before each query.
    "DATA_VERSION",
];

/// Refuses every PRAGMA that could change something or expose a host path.
pub fn check_pragma(tokens: &Tokens<'_>) -> Result<(), SqlError> {
    let name_at = name_at(tokens);
    let name = tokens.word(name_at);
    let bare = tokens.len() == name_at + 1;
    if pragma_reads(name, (!bare).then_some("")) && (bare || tokens.is_symbol(name_at + 1, b'(')) {
        return Ok(());
    }
    Err(refused(
        format!("PRAGMA {} is not available to tools", shortened(&name.to_lowercase())),
        "Only pragmas that describe tables and indexes are accepted, such as PRAGMA table_info(name).",
    ))
}

/// Whether a PRAGMA with this argument only reads.
pub fn pragma_reads(name: &str, argument: Option<&str>) -> bool {
    let name = name.to_ascii_uppercase();
    PRAGMAS.contains(&name.as_str()) || (argument.is_none() && BARE_PRAGMAS.contains(&name.as_str()))
}

/// Whether a PRAGMA exposes rows, definitions or corruption of the table in its argument, or of all tables.
pub fn pragma_exposes_tables(name: &str) -> bool {
    PRAGMAS.iter().any(|pragma| pragma.eq_ignore_ascii_case(name) && *pragma != "TABLE_LIST")
}

/// Whether the argument of a PRAGMA is a table.
pub fn pragma_takes_table(name: &str) -> bool {
    PRAGMAS_OF_A_TABLE.iter().any(|pragma| pragma.eq_ignore_ascii_case(name))
}

/// The index of the name of a PRAGMA, which may follow a schema.
pub fn name_at(tokens: &Tokens<'_>) -> usize {
    if tokens.is_symbol(2, b'.') { 3 } else { 1 }
}
