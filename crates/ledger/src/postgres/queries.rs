//! Queries of events in PostgreSQL.

use super::append::integer;
use super::bytes::Row;
use super::connection::{Connection, Value};
use super::failure::Failure;
use super::name_encoding::encode_name;
use super::schema::Schema;
use crate::event::event::StoredEvent;
use crate::hash::Hash;
use crate::ledger_error::Reason;
use crate::query::{MAX_EVENTS, Query};

/// Selects events with the hash of the previous event, or of the base for the first kept event.
const SELECT: &str = "select e.seq, e.content, e.hash, coalesce((select p.hash from @.events p where p.seq = e.seq - 1), \
    (select a.base_hash from @.about a where a.base_size = e.seq - 1), decode(repeat('00', 32), 'hex'))";

/// A call and all its descendants. `union` drops duplicates, so cycles end. `offset 0` forces a lookup in the parent index
/// per call, regardless of the planner's estimates.
const TREE: &str = "with recursive below (call) as (select $1::text collate \"C\" union select e.call from below b \
    cross join lateral (select call from @.events where parent = b.call \
        and call is not null offset 0) e), \
    calls as (select call from below limit $2)";

/// Joins the events of those calls.
const OF_CALLS: &str = "from calls c cross join lateral (select seq, content, hash from @.events \
    where call = c.call offset 0) e";

/// The events of a query, oldest first.
pub(super) fn events(connection: &mut Connection, schema: &Schema, query: &Query) -> Result<Vec<StoredEvent>, Failure> {
    let conditions = Conditions::of(query);
    let order = if query.after_seq.is_some() {
        "e.seq"
    } else if conditions.by_time {
        // The time index is read from its end.
        "e.at desc, e.seq desc"
    } else {
        "e.seq desc"
    };
    let limit = query.limit.min(MAX_EVENTS);
    let sql = format!("{SELECT} from @.events e where {} order by {order} limit {limit}", conditions.sql.join(" and "));
    let values: Vec<Value<'_>> = conditions.values.iter().map(Owned::value).collect();
    let mut found = collect(connection, &schema.sql(&sql), &values)?;
    found.sort_unstable_by_key(|event| event.seq);
    Ok(found)
}

/// The events of a call and its descendants, oldest first.
pub(super) fn tree(
    connection: &mut Connection,
    schema: &Schema,
    call: &str,
    limit: usize,
) -> Result<Vec<StoredEvent>, Failure> {
    let limit = limit.min(MAX_EVENTS);
    let sql = format!("{TREE} {SELECT} {OF_CALLS} order by e.seq limit {limit}");
    let most = i64::try_from(MAX_EVENTS).unwrap_or(i64::MAX);
    collect(connection, &schema.sql(&sql), &[Value::Text(&encode_name(call)), Value::Integer(most)])
}

enum Owned {
    Text(String),
    Integer(i64),
}

impl Owned {
    fn value(&self) -> Value<'_> {
        match self {
            Self::Text(text) => Value::Text(text),
            Self::Integer(number) => Value::Integer(*number),
        }
    }
}

struct Conditions {
    sql: Vec<String>,
    values: Vec<Owned>,
    /// The query has only a time condition.
    by_time: bool,
}

impl Conditions {
    fn of(query: &Query) -> Self {
        let mut made = Self { sql: vec!["true".to_owned()], values: Vec::new(), by_time: false };
        let names = [("call", &query.call), ("session", &query.session), ("path", &query.path), ("tool", &query.tool)];
        for (column, name) in names {
            if let Some(name) = name {
                let place = made.keep(Owned::Text(encode_name(name).into_owned()));
                made.sql.push(format!("e.{column} = {place}"));
            }
        }
        let numbers = [
            ("kind =", query.kind.map(|kind| i64::from(kind.number()))),
            ("seq >", query.after_seq.map(integer)),
            ("at >=", query.since.map(integer)),
            ("at <", query.until.map(integer)),
        ];
        for (comparison, number) in numbers {
            if let Some(number) = number {
                let place = made.keep(Owned::Integer(number));
                made.sql.push(format!("e.{comparison} {place}"));
            }
        }
        let asks_for_time = query.since.is_some() || query.until.is_some();
        made.by_time = asks_for_time && query.kind.is_none() && names.iter().all(|(_, name)| name.is_none());
        made
    }

    fn keep(&mut self, value: Owned) -> String {
        self.values.push(value);
        format!("${}", self.values.len())
    }
}

fn collect(connection: &mut Connection, sql: &str, values: &[Value<'_>]) -> Result<Vec<StoredEvent>, Failure> {
    let mut found = Vec::new();
    connection.query(sql, values, &mut |row| {
        found.push(stored(row)?);
        Ok(())
    })?;
    Ok(found)
}

fn stored(mut row: Row<'_>) -> Result<StoredEvent, Failure> {
    let (seq, content) = (row.count()?, row.text()?.to_owned());
    let mut hash = || Hash::from_bytes(row.bytes()?).ok_or(Failure::Unfit(Reason::Damaged));
    Ok(StoredEvent { seq, content, hash: hash()?, prev: hash()? })
}
