//! What SQLite itself is told to stay within.
//!
//! A statement that needs more memory is refused by the database, and the session goes on. A database in memory is on the heap.

use super::heap;
use super::session_control::SessionControl;
use rusqlite::Connection;
use rusqlite::limits::Limit;

/// Where the heap is one for all databases: from here on caches give way, whosever they are, and what all may use together.
const SOFT_HEAP_BYTES: i64 = HARD_HEAP_BYTES / 4 * 3;
const HARD_HEAP_BYTES: i64 = 80 << 20;

/// What a value that a statement makes, reads or gets may have at most; more, when the rows may be larger.
pub const USUAL_VALUE_BYTES: usize = 8 << 20;
/// The same, whatever the rows may be: it must fit into the memory of one database.
pub const MAX_VALUE_BYTES: usize = 32 << 20;

/// What no statement of a tool needs more of. The other limits of SQLite are as they were when it was built: 2 000 columns,
/// 1 000 levels of an expression, 500 parts of a compound.
const LIMITS: [(Limit, i32); 6] = [
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
    (Limit::SQLITE_LIMIT_WORKER_THREADS, 0),
    // The text of a statement is bounded in letters before; this is what those take.
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 4 << 20),
    // Functions on JSON go through the whole document for each pair of arguments.
    (Limit::SQLITE_LIMIT_FUNCTION_ARG, 127),
    // 24 bytes each, held as long as the statement is.
    (Limit::SQLITE_LIMIT_VDBE_OP, 1_000_000),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 100),
];

pub fn set_limits(connection: &Connection) -> rusqlite::Result<()> {
    let is_shared_out = heap::install();
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    if !is_shared_out {
        // Another part of the process has used SQLite before. The hard limit can be lowered only: the first connection sets it.
        connection.pragma_update(None, "hard_heap_limit", HARD_HEAP_BYTES)?;
        connection.pragma_update(None, "soft_heap_limit", SOFT_HEAP_BYTES)?;
    }
    // A database in memory answers nothing to this one.
    connection.pragma_update(None, "mmap_size", 0)
}

/// Where SQLite sorts and keeps what it looks up later. Who may write to the disk may spill to it; for who only reads it
/// is memory, within the limit of the heap, so that no question fills the disk.
pub fn set_temporary_storage(connection: &Connection, only_reads: bool) -> rusqlite::Result<()> {
    connection.pragma_update(None, "temp_store", if only_reads { "memory" } else { "file" })
}

/// Bounds each value that the next statement deals with.
pub fn bound_values(connection: &Connection, control: &SessionControl, longest: usize) -> rusqlite::Result<()> {
    if control.longest() != longest {
        control.set_longest(longest);
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, i32::try_from(longest).unwrap_or(i32::MAX))?;
    }
    Ok(())
}
