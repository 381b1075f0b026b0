//! Giving room of dropped events back to the disk.

use super::store::Shrink;
use rusqlite::Connection;

/// Pages that one transaction gives back, and transactions at once: 64 MiB.
const PAGES: u32 = 256;
const TRANSACTIONS: u32 = 64;

/// Of `PRAGMA auto_vacuum`: a file that can be shrunk piece by piece.
const INCREMENTAL: i64 = 2;

pub fn shrink(connection: &Connection, how: Shrink) -> rusqlite::Result<()> {
    let number = |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    let is_incremental = number("auto_vacuum")? == INCREMENTAL;
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
                connection.execute_batch("PRAGMA auto_vacuum = INCREMENTAL; VACUUM")?;
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
