//! Queries of events in SQLite.

use crate::event::event::StoredEvent;
use crate::event::names;
use crate::hash::Hash;
use crate::query::{MAX_EVENTS, Query};
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, Row, params_from_iter};
use std::collections::{BTreeSet, HashSet};

/// Selects events with the hash of the previous event, or of the base for the first kept event.
const SELECT: &str = "SELECT e.seq, e.content, e.hash, coalesce((SELECT p.hash FROM events p WHERE p.seq = e.seq - 1), \
    (SELECT b.hash FROM base b WHERE b.size = e.seq - 1), zeroblob(32)) FROM events e";

/// Event types up to this number are not in the index of types.
const COMMON_KINDS: u8 = 2;

/// The events of a query, oldest first.
pub fn events(connection: &Connection, query: &Query) -> rusqlite::Result<Vec<StoredEvent>> {
    let Some(conditions) = Conditions::of(connection, query)? else { return Ok(Vec::new()) };
    let order = match query.after_seq {
        Some(_) => "e.seq",
        // With only a time condition, the time index is read from its end.
        None if conditions.by_time => "e.at DESC, e.seq DESC",
        None => "e.seq DESC",
    };
    let limit = query.limit.min(MAX_EVENTS);
    let sql = format!("{SELECT} WHERE {} ORDER BY {order} LIMIT {limit}", conditions.sql.join(" AND "));
    let mut statement = connection.prepare_cached(&sql)?;
    let mut found: Vec<StoredEvent> =
        statement.query_map(params_from_iter(conditions.values), stored)?.collect::<Result<_, _>>()?;
    found.sort_unstable_by_key(|event| event.seq);
    Ok(found)
}

struct Conditions {
    sql: Vec<String>,
    values: Vec<Value>,
    by_time: bool,
}

impl Conditions {
    /// `None` if a queried name does not exist.
    fn of(connection: &Connection, query: &Query) -> rusqlite::Result<Option<Self>> {
        let mut made = Self { sql: vec!["1".to_owned()], values: Vec::new(), by_time: false };
        // The most selective index is used; a unary plus keeps SQLite from using others.
        let mut led = false;
        if let Some(call) = &query.call {
            made.equal("call", &mut led, call.clone().into());
        }
        for (column, name) in [("session", &query.session), ("path", &query.path), ("tool", &query.tool)] {
            if let Some(name) = name {
                let Some(number) = names::find(connection, name)? else { return Ok(None) };
                made.equal(column, &mut led, number.into());
            }
        }
        if let Some(kind) = query.kind {
            // The partial index covers rare types only, and needs its own condition in the query.
            let rare = kind.number() > COMMON_KINDS;
            if rare && !led {
                made.sql.push(format!("e.type > {COMMON_KINDS}"));
            }
            let mut passed = led || !rare;
            made.equal("type", &mut passed, i64::from(kind.number()).into());
            led |= rare;
        }
        made.by_time = !led && query.after_seq.is_none() && (query.since.is_some() || query.until.is_some());
        let at = if made.by_time { "e.at" } else { "+e.at" };
        for (comparison, time) in [(">=", query.since), ("<", query.until)] {
            if let Some(time) = time {
                made.compare(at, comparison, integer(time));
            }
        }
        if let Some(after) = query.after_seq {
            made.compare("e.seq", ">", integer(after));
        }
        Ok(Some(made))
    }

    fn equal(&mut self, column: &str, led: &mut bool, value: Value) {
        let plus = if *led { "+" } else { "" };
        *led = true;
        self.compare(&format!("{plus}e.{column}"), "=", value);
    }

    fn compare(&mut self, column: &str, comparison: &str, value: Value) {
        self.values.push(value);
        self.sql.push(format!("{column} {comparison} ?{}", self.values.len()));
    }
}

fn integer(number: u64) -> Value {
    Value::Integer(i64::try_from(number).unwrap_or(i64::MAX))
}

/// The events of a call and its descendants, oldest first.
pub fn tree(connection: &Connection, root: &str, limit: usize) -> rusqlite::Result<Vec<StoredEvent>> {
    let limit = limit.min(MAX_EVENTS);
    let mut of_call = connection.prepare_cached("SELECT seq FROM events WHERE call = ?1 ORDER BY seq LIMIT ?2")?;
    let mut below = connection.prepare_cached(
        "SELECT DISTINCT call FROM events WHERE parent = ?1 AND +call IS NOT NULL ORDER BY seq LIMIT ?2",
    )?;
    let most = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut seen: HashSet<String> = HashSet::from([root.to_owned()]);
    let mut open = vec![root.to_owned()];
    let mut found: BTreeSet<i64> = BTreeSet::new();
    while let Some(call) = open.pop() {
        for seq in of_call.query_map((&call, most), |row| row.get(0))? {
            found.insert(seq?);
        }
        for child in below.query_map((&call, most), |row| row.get::<_, String>(0))? {
            let child = child?;
            if seen.len() < limit && seen.insert(child.clone()) {
                open.push(child);
            }
        }
    }
    let mut by_seq = connection.prepare_cached(&format!("{SELECT} WHERE e.seq = ?1"))?;
    found.into_iter().take(limit).map(|seq| by_seq.query_row([seq], stored)).collect()
}

/// The bytes of a blob.
pub fn blob(connection: &Connection, hash: &Hash) -> rusqlite::Result<Option<Vec<u8>>> {
    connection
        .prepare_cached("SELECT bytes FROM blobs WHERE hash = ?1")?
        .query_row([hash.0], |row| row.get(0))
        .optional()
}

fn stored(row: &Row<'_>) -> rusqlite::Result<StoredEvent> {
    let seq: i64 = row.get(0)?;
    Ok(StoredEvent {
        seq: u64::try_from(seq).unwrap_or_default(),
        content: row.get(1)?,
        hash: Hash(row.get(2)?),
        prev: Hash(row.get(3)?),
    })
}
