//! Statements that change the tables: append and drop.

use super::bytes::Row;
use super::connection::{Connection, Value};
use super::failure::Failure;
use super::name_encoding::encode_name;
use super::schema::Schema;
use crate::chain::chain::link;
use crate::event::event::{Head, PreparedEvent};
use crate::hash::Hash;
use crate::ledger_error::Reason;
use crate::store::{Appended, Batch};
use std::collections::BTreeMap;

/// The most events that one statement drops, so that each is short.
const DROPPED_AT_ONCE: i64 = 20_000;

const INSERT_EVENT: &str = "insert into @.events (seq, content, hash, kind, at, session, path, tool, call, parent) \
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)";
const INSERT_BLOB: &str = "insert into @.blobs (hash, last, bytes) values ($1, $2, $3) \
    on conflict (hash) do update set last = excluded.last";
const SET_DRAINED: &str = "insert into @.spools (name, drained) values ($1, $2) \
    on conflict (name) do update set drained = excluded.drained";
const STATE: &str = "select coalesce((select drained from @.spools where name = $1), 0), e.seq, e.hash, a.base_size, \
    a.base_hash from @.about a left join (select seq, hash from @.events order by seq desc limit 1) e on true";

/// `Store::append`. When it is repeated after a lost connection and the first attempt succeeded, the result is `Elsewhere`.
pub(super) fn append(connection: &mut Connection, schema: &Schema, batch: &Batch<'_>) -> Result<Appended, Failure> {
    let state = begin(connection, schema, batch.spool)?;
    if state.drained != batch.from {
        connection.run("rollback", &[])?;
        return Ok(Appended::Elsewhere { drained: state.drained });
    }
    let (rows, head) = chained(state.head, batch.events);
    connection.put_each(&schema.sql(INSERT_EVENT), rows.iter().map(Inserted::values))?;
    let blobs = blobs_of(&rows);
    let blob_values = blobs
        .iter()
        .map(|(hash, (last, bytes))| [Value::Bytes(&hash.0), Value::Integer(integer(*last)), Value::Bytes(bytes)]);
    connection.put_each(&schema.sql(INSERT_BLOB), blob_values)?;
    connection.put(&schema.sql(SET_DRAINED), &[Value::Text(batch.spool), Value::Integer(integer(batch.to))])?;
    connection.put("commit", &[])?;
    connection.finish()?;
    Ok(Appended::Done(head))
}

struct SpoolPosition {
    drained: u64,
    head: Head,
}

/// Begins an exclusive transaction, and reads the spool's position and the head.
fn begin(connection: &mut Connection, schema: &Schema, spool: &str) -> Result<SpoolPosition, Failure> {
    schema.put_begin(connection)?;
    connection.put(&schema.sql(STATE), &[Value::Text(spool)])?;
    let mut state = None;
    connection.finish_with(&mut |mut row| {
        // The row of the lock statement is empty.
        if row.width > 1 {
            state = Some(SpoolPosition { drained: row.count()?, head: head_or_base(&mut row)? });
        }
        Ok(())
    })?;
    state.ok_or(Failure::Unfit(Reason::Damaged))
}

/// Reads the last event's number and hash, which may be NULL, then those of the base.
pub(super) fn head_or_base(row: &mut Row<'_>) -> Result<Head, Failure> {
    let (seq, hash) = (row.maybe_integer()?, row.field()?);
    let (base_size, base_hash) = (row.integer()?, row.bytes()?);
    let (size, hash) = seq.zip(hash).unwrap_or((base_size, base_hash));
    head_of(size, hash)
}

pub(super) fn head_of(size: i64, hash: &[u8]) -> Result<Head, Failure> {
    let size = u64::try_from(size).ok();
    let head = size.zip(Hash::from_bytes(hash)).map(|(size, hash)| Head { size, hash });
    head.ok_or(Failure::Unfit(Reason::Damaged))
}

struct Inserted<'a> {
    event: &'a PreparedEvent,
    place: Head,
    names: [Option<String>; 5],
}

impl Inserted<'_> {
    fn values(&self) -> [Value<'_>; 10] {
        let [session, path, tool, call, parent] = self.names.each_ref().map(|name| Value::MaybeText(name.as_deref()));
        [
            Value::Integer(integer(self.place.size)),
            Value::Text(&self.event.content),
            Value::Bytes(&self.place.hash.0),
            Value::Integer(self.event.columns.kind.number().into()),
            Value::Integer(integer(self.event.columns.at)),
            session,
            path,
            tool,
            call,
            parent,
        ]
    }
}

/// The events chained after `head`, and the new head.
fn chained(mut head: Head, events: &[PreparedEvent]) -> (Vec<Inserted<'_>>, Head) {
    let mut rows = Vec::with_capacity(events.len());
    for event in events {
        let size = head.size + 1;
        head = Head { size, hash: link(&head.hash, size, &event.id) };
        let columns = &event.columns;
        let names = [&columns.session, &columns.path, &columns.tool, &columns.call, &columns.parent];
        let names = names.map(|name| name.as_deref().map(|name| encode_name(name).into_owned()));
        rows.push(Inserted { event, place: head, names });
    }
    (rows, head)
}

/// Each blob once, with the last event that refers to it.
fn blobs_of<'a>(rows: &[Inserted<'a>]) -> BTreeMap<Hash, (u64, &'a [u8])> {
    let mut blobs = BTreeMap::new();
    for row in rows {
        for blob in &row.event.blobs {
            blobs.insert(blob.hash, (row.place.size, blob.bytes.as_slice()));
        }
    }
    blobs
}

/// `Store::drop_to`.
pub(super) fn drop_to(connection: &mut Connection, schema: &Schema, base: &Head) -> Result<u64, Failure> {
    schema.put_begin(connection)?;
    connection.finish()?;
    let size = integer(base.size);
    let mut before = 0;
    connection.query(&schema.sql("select base_size from @.about"), &[], &mut |mut row| {
        before = row.integer()?;
        Ok(())
    })?;
    if before >= size {
        connection.put("commit", &[])?;
        connection.finish()?;
        return Ok(0);
    }
    let mut first = None;
    connection.query(&schema.sql("select min(seq) from @.events"), &[], &mut |mut row| {
        first = row.maybe_integer()?;
        Ok(())
    })?;
    let sql = schema
        .sql("with gone as (delete from @.events where seq between $1 and $2 returning 1) select count(*) from gone");
    let mut gone = 0;
    let mut from = first.unwrap_or(i64::MAX);
    while from <= size {
        let to = from.saturating_add(DROPPED_AT_ONCE).min(size);
        connection.query(&sql, &[Value::Integer(from), Value::Integer(to)], &mut |mut row| {
            gone += row.count()?;
            Ok(())
        })?;
        from = to.saturating_add(1);
    }
    connection.put(&schema.sql("delete from @.blobs where last <= $1"), &[Value::Integer(size)])?;
    connection.put(&schema.sql("delete from @.checkpoints where size < $1"), &[Value::Integer(size)])?;
    connection.put(
        &schema.sql("update @.about set base_size = $1, base_hash = $2"),
        &[Value::Integer(size), Value::Bytes(&base.hash.0)],
    )?;
    connection.put("commit", &[])?;
    connection.finish()?;
    Ok(gone)
}

/// Converts to PostgreSQL's `bigint`.
pub(super) fn integer(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
