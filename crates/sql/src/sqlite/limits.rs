//! Limits enforced by SQLite itself.
//!
//! A statement that needs more memory fails, and the session continues. An in-memory database is on the heap too.

use super::heap;
use super::session_control::SessionControl;
use rusqlite::Connection;
use rusqlite::limits::Limit;

/// Heap limits without the per-database allocator: from the soft limit on, caches of all databases are released.
const SOFT_HEAP_BYTES: i64 = HARD_HEAP_BYTES / 4 * 3;
const HARD_HEAP_BYTES: i64 = 80 << 20;

/// Default maximum length of a value that a statement creates, reads or binds; higher if `maxBytes` is higher.
pub const USUAL_VALUE_BYTES: usize = 8 << 20;
/// Upper bound of that limit: a value must fit into the memory of one database.
pub const MAX_VALUE_BYTES: usize = 32 << 20;

/// SQLite limits for statements of tools. Other limits have their compile-time values: 2 000 columns, an expression depth of
/// 1 000, 500 terms of a compound select.
const LIMITS: [(Limit, i32); 6] = [
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    // The number of characters is limited before; this is their maximum size.
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 4 << 20),
    // JSON functions scan the whole document for each pair of arguments.
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 127),
    // 24 bytes each, for the lifetime of the statement.
    (Limit::SQLITE_LIMIT_VDBE_OP, 1_000_000),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 100),
];

pub fn set_limits(connection: &Connection) -> rusqlite::Result<()> {
    let has_quotas = heap::install();
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    if !has_quotas {
        // SQLite was already in use, so the allocator could not be installed. The hard limit can only be lowered.
        connection.pragma_update(None, "hard_heap_limit", HARD_HEAP_BYTES)?;
        connection.pragma_update(None, "soft_heap_limit", SOFT_HEAP_BYTES)?;
    }
    // For an in-memory database this returns no row.
    connection.pragma_update(None, "mmap_size", 0)
}

/// Sets the storage for sorting and temporary indexes. A policy that allows writes may use the disk; a read-only policy uses
/// memory, within the heap limit, so that a query cannot fill the disk.
pub fn set_temporary_storage(connection: &Connection, only_reads: bool) -> rusqlite::Result<()> {
    connection.pragma_update(None, "temp_store", if only_reads { "memory" } else { "file" })
}

/// Sets the maximum length of values for the next statement.
pub fn bound_values(connection: &Connection, control: &SessionControl, longest: usize) -> rusqlite::Result<()> {
    if control.value_limit() != longest {
        control.set_value_limit(longest);
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(longest).unwrap_or(i32::MAX))?;
    }
    Ok(())
}
