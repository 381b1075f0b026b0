//! Giving room of dropped events back to the disk.

use super::store::Shrink;
use rusqlite::Connection;

/// Pages that one transaction gives back, and transactions at once: 64 MiB.
const PAGES: u32 = 256;
const TRANSACTIONS: u32 = 64;

/// Of `PRAGMA auto_vacuum`: a file that can be shrunk piece by piece.
const INCREMENTAL: i64 = 2;

/// Whether the file can be shrunk piece by piece, as all are that this version has made.
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
                // It stays the file of an older version: what such have is dropped by decision alone.
                connection.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM")?;
            }
            run(connection, "PRAGMA wal_checkpoint(TRUNCATE)")
        }
    }
}

/// Does a statement to its end: each page that is given back is a row.
fn run(connection: &Connection, sql: &str) -> rusqlite::Result<()> {
    let mut statement = connection.prepare(sql)?;
    let mut rows = statement.query([])?;
    while rows.next()?.is_some() {}
    Ok(())
}
