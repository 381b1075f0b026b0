//! Full scan of a SQLite ledger, for verification.

use crate::event::event::Columns;
use crate::event::event_type::EventType;
use crate::event::names;
use crate::hash::Hash;
use crate::store::{ScannedEvent, VisitBlob};
use rusqlite::types::ValueRef;
use rusqlite::{Connection, Row};
use std::collections::HashMap;
use std::ops::{ControlFlow, RangeInclusive};

const SELECT: &str = "SELECT seq, type, at, session, path, tool, call, parent, hash, content FROM events \
    WHERE seq BETWEEN ?1 AND ?2 ORDER BY seq";

/// Visits the events of a range.
pub fn events(
    connection: &Connection,
    range: &RangeInclusive<u64>,
    visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
) -> rusqlite::Result<()> {
    let names = names::all(connection)?;
    let mut statement = connection.prepare(SELECT)?;
    let bound = |seq: u64| i64::try_from(seq).unwrap_or(i64::MAX);
    let mut rows = statement.query((bound(*range.start()), bound(*range.end())))?;
    while let Some(row) = rows.next()? {
        let event = ScannedEvent {
            seq: u64::try_from(row.get::<_, i64>(0)?).unwrap_or_default(),
            content: text(row, 9)?.unwrap_or_default(),
            hash: row.get_ref(8)?.as_blob().ok().and_then(Hash::from_bytes),
            columns: columns(row, &names)?,
        };
        if visit(&event).is_break() {
            break;
        }
    }
    Ok(())
}

fn columns<'a>(row: &'a Row<'_>, names: &'a HashMap<i64, String>) -> rusqlite::Result<Option<Columns<&'a str>>> {
    let integer = |column: usize| -> rusqlite::Result<Option<i64>> { Ok(row.get_ref(column)?.as_i64().ok()) };
    let (Some(kind), Some(at)) = (integer(1)?.and_then(EventType::numbered), integer(2)?) else { return Ok(None) };
    let Ok(at) = u64::try_from(at) else { return Ok(None) };
    let mut sound = true;
    let mut name = |column: usize| -> rusqlite::Result<Option<&'a str>> {
        let found = match row.get_ref(column)? {
            ValueRef::Null => return Ok(None),
            ValueRef::Integer(number) => names.get(&number).map(String::as_str),
            ValueRef::Real(_) | ValueRef::Text(_) | ValueRef::Blob(_) => None,
        };
        sound &= found.is_some();
        Ok(found)
    };
    let (session, path, tool) = (name(3)?, name(4)?, name(5)?);
    let mut plain = |column: usize| -> rusqlite::Result<Option<&'a str>> {
        let found = text(row, column)?;
        sound &= found.is_some() || matches!(row.get_ref(column)?, ValueRef::Null);
        Ok(found)
    };
    let (call, parent) = (plain(6)?, plain(7)?);
    Ok(sound.then_some(Columns { kind, at, session, path, tool, call, parent }))
}

/// Reads a text column; an error if it is not UTF-8.
fn text<'a>(row: &'a Row<'_>, column: usize) -> rusqlite::Result<Option<&'a str>> {
    Ok(row.get_ref(column)?.as_str().ok())
}

/// Visits every blob.
pub fn blobs(connection: &Connection, visit: VisitBlob<'_>) -> rusqlite::Result<()> {
    let mut statement = connection.prepare("SELECT hash, bytes, last FROM blobs")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let hash = row.get_ref(0)?.as_blob().ok().and_then(Hash::from_bytes).unwrap_or(Hash::ZERO);
        let bytes = row.get_ref(1)?.as_blob().unwrap_or_default();
        let last = row.get_ref(2)?.as_i64().ok().and_then(|last| u64::try_from(last).ok()).unwrap_or_default();
        if visit(&hash, bytes, last).is_break() {
            break;
        }
    }
    Ok(())
}
