//! The names table: sessions, files and tools, which events refer to by number.

use rusqlite::{Connection, OptionalExtension};
use std::collections::HashMap;

/// The most cached names.
const MAX_NAMES: usize = 10_000;

/// A cache of name numbers. Names are never removed or changed, so numbers stay valid.
#[derive(Default)]
pub struct Names(HashMap<String, i64>);

impl Names {
    /// The number of a name; inserts a new name.
    pub fn enter(&mut self, connection: &Connection, name: Option<&str>) -> rusqlite::Result<Option<i64>> {
        let Some(name) = name else { return Ok(None) };
        if let Some(number) = self.0.get(name) {
            return Ok(Some(*number));
        }
        let number = match find(connection, name)? {
            Some(number) => number,
            None => {
                connection.prepare_cached("INSERT INTO names(text) VALUES(?1)")?.execute([name])?;
                connection.last_insert_rowid()
            }
        };
        if self.0.len() >= MAX_NAMES {
            self.0.clear();
        }
        self.0.insert(name.to_owned(), number);
        Ok(Some(number))
    }
}

/// The number of an existing name.
pub fn find(connection: &Connection, name: &str) -> rusqlite::Result<Option<i64>> {
    connection.prepare_cached("SELECT id FROM names WHERE text = ?1")?.query_row([name], |row| row.get(0)).optional()
}

/// All names by their numbers.
pub fn all(connection: &Connection) -> rusqlite::Result<HashMap<i64, String>> {
    let mut statement = connection.prepare("SELECT id, text FROM names")?;
    statement.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}
