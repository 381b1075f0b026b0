//! Checks the schema and indexes of the SQLite file. A row that is missing in an index would exist, but queries would not
//! find it.

use super::schema::{INDEXES, Index, is_untouched};
use crate::verification::{Problem, ProblemKind};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, OptionalExtension};
use std::hash::{BuildHasher, RandomState};

/// Checks schema and indexes, and returns the first problem.
pub fn check(connection: &Connection) -> rusqlite::Result<Option<Problem>> {
    if !is_untouched(connection)? {
        return Ok(Some(changed("the tables or indexes of the ledger's file were changed")));
    }
    let structure: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if structure != "ok" {
        return Ok(Some(changed("the structure of the ledger's file is damaged")));
    }
    let secret = Secret::new();
    let table = sums_of_table(connection, &secret)?;
    for (index, expected) in INDEXES.iter().zip(table) {
        if sum_of_index(connection, index, &secret)? != Some(expected) {
            return Ok(Some(changed("an index of the ledger's file does not contain all events")));
        }
    }
    for (rows, lookup) in LOOKUPS {
        if !finds_all(connection, rows, lookup)? {
            return Ok(Some(changed("an index of the ledger's file does not contain all names or large values")));
        }
    }
    Ok(None)
}

/// Unique lookups: a statement for all rows, and one that finds a row by its unique value.
const LOOKUPS: [(&str, &str); 2] = [
    ("SELECT text, id FROM names NOT INDEXED", "SELECT id FROM names WHERE text = ?1"),
    ("SELECT hash, rowid FROM blobs NOT INDEXED", "SELECT rowid FROM blobs WHERE hash = ?1"),
];

fn finds_all(connection: &Connection, rows: &str, lookup: &str) -> rusqlite::Result<bool> {
    let (mut rows, mut lookup) = (connection.prepare(rows)?, connection.prepare(lookup)?);
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        let (value, number): (Value, i64) = (row.get(0)?, row.get(1)?);
        let found: Option<i64> = lookup.query_row([value], |row| row.get(0)).optional()?;
        if found != Some(number) {
            return Ok(false);
        }
    }
    Ok(true)
}

fn changed(message: &str) -> Problem {
    Problem::new(ProblemKind::Changed, 0, message)
}

/// A random key, so that changes to the file cannot be made to match the sums.
struct Secret(u64, u64);

impl Secret {
    fn new() -> Self {
        let state = RandomState::new();
        Self(state.hash_one(1), state.hash_one(2) | 1)
    }

    /// The keyed hash of a value and its row.
    fn mixed(&self, value: &Key<'_>, seq: i64) -> u64 {
        let len = u64::try_from(value.text.len()).unwrap_or_default();
        let mut sum = self.fold(seq.cast_unsigned(), len);
        sum = self.fold(sum, value.number.cast_unsigned());
        for word in value.text.chunks(8) {
            let mut bytes = [0; 8];
            bytes.iter_mut().zip(word).for_each(|(place, byte)| *place = *byte);
            sum = self.fold(sum, u64::from_le_bytes(bytes));
        }
        sum
    }

    /// The xor of both halves of a product.
    fn fold(&self, one: u64, other: u64) -> u64 {
        let product = u128::from(one ^ self.0).wrapping_mul(u128::from(other ^ self.1));
        let (low, high) = (product & u128::from(u64::MAX), product >> 64);
        u64::try_from(low ^ high).unwrap_or_default()
    }
}

/// An indexed value: a number or a text.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Key<'a> {
    text: &'a [u8],
    number: i64,
}

impl<'a> Key<'a> {
    /// `None` for values that are not indexed.
    fn of(value: ValueRef<'a>) -> Option<Self> {
        match value {
            ValueRef::Null => None,
            ValueRef::Integer(number) => Some(Self { text: &[], number }),
            ValueRef::Text(text) | ValueRef::Blob(text) => Some(Self { text, number: 0 }),
            ValueRef::Real(_) => Some(Self { text: &[], number: 0 }),
        }
    }
}

/// A count of values and an order-independent sum.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Sum {
    count: u64,
    sum: u128,
}

impl Sum {
    fn add(&mut self, mixed: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(u128::from(mixed));
    }
}

/// The sums of the indexed columns, in the order of the indexes.
fn sums_of_table(connection: &Connection, secret: &Secret) -> rusqlite::Result<Vec<Sum>> {
    let in_index = |index: &Index| format!("iif({}, {}, NULL)", index.only, index.column);
    let columns: Vec<String> = INDEXES.iter().map(in_index).collect();
    let mut statement = connection.prepare(&format!("SELECT seq, {} FROM events NOT INDEXED", columns.join(", ")))?;
    let mut rows = statement.query([])?;
    let mut sums = vec![Sum::default(); columns.len()];
    while let Some(row) = rows.next()? {
        let seq = row.get_ref(0)?.as_i64().unwrap_or_default();
        for (place, sum) in sums.iter_mut().enumerate() {
            if let Some(key) = Key::of(row.get_ref(place + 1)?) {
                sum.add(secret.mixed(&key, seq));
            }
        }
    }
    Ok(sums)
}

/// The sum of an index; `None` if it is not sorted, so that a search would miss entries.
fn sum_of_index(connection: &Connection, index: &Index, secret: &Secret) -> rusqlite::Result<Option<Sum>> {
    let Index { name, column, only, .. } = index;
    let mut statement = connection
        .prepare(&format!("SELECT {column}, seq FROM events INDEXED BY {name} WHERE {only} ORDER BY {column}, seq"))?;
    let mut rows = statement.query([])?;
    let mut sum = Sum::default();
    let mut before: (Vec<u8>, i64, i64) = (Vec::new(), i64::MIN, i64::MIN);
    while let Some(row) = rows.next()? {
        let seq = row.get_ref(1)?.as_i64().unwrap_or_default();
        let Some(key) = Key::of(row.get_ref(0)?) else { return Ok(None) };
        if (Key { text: &before.0, number: before.1 }, before.2) >= (Key { text: key.text, number: key.number }, seq) {
            return Ok(None);
        }
        sum.add(secret.mixed(&key, seq));
        before.0.clear();
        before.0.extend_from_slice(key.text);
        (before.1, before.2) = (key.number, seq);
    }
    Ok(Some(sum))
}

#[cfg(test)]
mod tests {
    use super::{Key, Secret};
    use std::collections::HashSet;

    #[test]
    fn row_number_and_every_byte_of_a_text_change_the_hash() {
        let secret = Secret::new();
        let text = b"0123456789ab-17, and longer than two words".to_owned();
        let mut seen = HashSet::new();
        for seq in 0..100 {
            assert!(seen.insert(secret.mixed(&Key { text: &[], number: 7 }, seq)));
            assert!(seen.insert(secret.mixed(&Key { text: &[], number: 1000 + seq }, 7)));
        }
        for at in 0..text.len() {
            let mut other = text;
            other[at] ^= 1;
            assert!(seen.insert(secret.mixed(&Key { text: &other, number: 0 }, 7)));
            assert!(seen.insert(secret.mixed(&Key { text: &text[..at + 1], number: 0 }, 7)));
        }
        let again = secret.mixed(&Key { text: &text, number: 0 }, 7);
        assert!(!seen.insert(again));
    }
}
