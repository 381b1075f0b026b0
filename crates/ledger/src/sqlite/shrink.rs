//! Returns the space of dropped events to the disk.

use crate::store::Shrink;
use rusqlite::Connection;

/// Pages freed per transaction, and transactions per call: 64 MiB.
const PAGES: u32 = 256;
const TRANSACTIONS: u32 = 64;

/// The value of `PRAGMA auto_vacuum` for files that can be shrunk incrementally.
const INCREMENTAL: i64 = 2;

/// Whether the file can be shrunk incrementally, as all files created by this version.
pub fn is_incremental(connection: &Connection) -> rusqlite::Result<bool> {
    Ok(connection.pragma_query_value(None, "auto_vacuum", |row| row.get::<_, i64>(0))? == INCREMENTAL)
}

pub fn shrink(connection: &Connection, how: Shrink) -> rusqlite::Result<()> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let is_incremental = is_incremental(connection)?;
    match how {
        Shrink::Some if !is_incremental => Ok(()),
        Shrink::Some => {
            for _ in 0..TRANSACTIONS {
                if number("freelist_count")? == 0 {
                    break;
                }
                run(connection, &format!("PRAGMA incremental_vacuum({PAGES})"))?;
            }
            Ok(())
        }
        Shrink::All => {
            if is_incremental {
                run(connection, "PRAGMA incremental_vacuum")?;
            } else {
                // The file keeps the mode of older versions, whose events are dropped only on request.
                connection.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM")?;
            }
            run(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}

/// Runs a statement to its end: each freed page is a row.
fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
