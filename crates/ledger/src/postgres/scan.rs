//! Full scan of a PostgreSQL ledger, for verification.

use super::append::integer;
use super::bytes::Row;
use super::connection::{Connection, Value};
use super::failure::Failure;
use super::name_encoding::{decode_name, is_long};
use super::schema::Schema;
use crate::event::content::columns_of;
use crate::event::event::Columns;
use crate::event::event_type::EventType;
use crate::hash::Hash;
use crate::store::{ScannedEvent, VisitBlob};
use std::borrow::Cow;
use std::ops::{ControlFlow, RangeInclusive};

/// Rows per fetch; one of them is in memory at a time.
const EVENTS_AT_ONCE: i32 = 4096;
const BLOBS_AT_ONCE: i32 = 64;

const EVENTS: &str = "select seq, content, hash, kind, at, session, path, tool, call, parent from @.events \
    where seq between $1 and $2 order by seq";
const BLOBS: &str = "select hash, bytes, last from @.blobs where hash > $1 order by hash";

/// Visits the events of a range. `range` is reduced to the unvisited rest, so that another connection can continue.
pub(super) fn events(
    connection: &mut Connection,
    schema: &Schema,
    range: &mut RangeInclusive<u64>,
    visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
) -> Result<(), Failure> {
    let end = *range.end();
    let values = [Value::Integer(integer(*range.start())), Value::Integer(integer(end))];
    connection.stream(&schema.sql(EVENTS), &values, EVENTS_AT_ONCE, &mut |row| {
        let (seq, flow) = show(row, visit)?;
        *range = seq.saturating_add(1)..=end;
        Ok(flow)
    })
}

fn show<'a>(
    mut row: Row<'a>,
    visit: &mut dyn FnMut(&ScannedEvent<'_>) -> ControlFlow<()>,
) -> Result<(u64, ControlFlow<()>), Failure> {
    let seq = row.count()?;
    let content = row.text()?;
    let hash = Hash::from_bytes(row.bytes()?);
    let (kind, at) = (EventType::numbered(row.integer()?), u64::try_from(row.integer()?).ok());
    let mut name = || row.maybe_text();
    let stored = [name()?, name()?, name()?, name()?, name()?];
    let expected = expected(&stored, content);
    let expected = expected.each_ref().map(Option::as_deref);
    let name = |(stored, expected): (Option<&'a str>, _)| stored.map(|stored| decode_name(stored, expected));
    let mut names = stored.into_iter().zip(expected).map(name);
    let names: [Option<Cow<'_, str>>; 5] = std::array::from_fn(|_| names.next().flatten());
    let [session, path, tool, call, parent] = names.each_ref().map(Option::as_deref);
    let columns = kind.zip(at).map(|(kind, at)| Columns { kind, at, session, path, tool, call, parent });
    Ok((seq, visit(&ScannedEvent { seq, content, hash, columns })))
}

/// The names in the content, for columns that store only a hash of a long name.
fn expected<'a>(stored: &[Option<&str>; 5], content: &'a str) -> [Option<Cow<'a, str>>; 5] {
    let has_long = stored.iter().flatten().any(|stored| is_long(stored));
    match has_long.then(|| columns_of(content)).flatten() {
        Some(columns) => [columns.session, columns.path, columns.tool, columns.call, columns.parent],
        None => Default::default(),
    }
}

/// Visits every blob after `after`, which becomes the last visited one.
pub(super) fn blobs(
    connection: &mut Connection,
    schema: &Schema,
    after: &mut Vec<u8>,
    visit: VisitBlob<'_>,
) -> Result<(), Failure> {
    let begin = after.clone();
    connection.stream(&schema.sql(BLOBS), &[Value::Bytes(&begin)], BLOBS_AT_ONCE, &mut |mut row| {
        let (name, bytes, last) = (row.bytes()?, row.bytes()?, row.integer()?);
        // An invalid hash matches no blob.
        let flow = visit(&Hash::from_bytes(name).unwrap_or(Hash::ZERO), bytes, u64::try_from(last).unwrap_or_default());
        name.clone_into(after);
        Ok(flow)
    })
}
