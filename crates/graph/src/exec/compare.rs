//! Equality with null, order of all values, and keys that are equal for equal values.

use super::meter::Meter;
use super::value::Value;
use crate::graph_error::GraphError;
use std::cmp::Ordering;

/// Whether two values are equal; `None` when null decides.
pub fn equal(one: &Value, other: &Value, meter: &Meter<'_>) -> Result<Option<bool>, GraphError> {
    meter.step(1)?;
    Ok(match (one, other) {
        (Value::Null, _) | (_, Value::Null) => None,
        (Value::Bool(one), Value::Bool(other)) => Some(one == other),
        (Value::Integer(one), Value::Integer(other)) => Some(one == other),
        (Value::Text(one), Value::Text(other)) => Some(one == other),
        (Value::Node(one), Value::Node(other)) => Some(one == other),
        (Value::Edge(one), Value::Edge(other)) => Some(one == other),
        (Value::Path(one), Value::Path(other)) => Some(one.nodes == other.nodes && one.edges == other.edges),
        (Value::List(one), Value::List(other)) if one.items.len() == other.items.len() => {
            all_equal(one.items.iter().zip(&other.items), meter)?
        }
        (Value::Map(one), Value::Map(other)) if one.entries.keys().eq(other.entries.keys()) => {
            all_equal(one.entries.values().zip(other.entries.values()), meter)?
        }
        (one, other) => Some(one.as_number().zip(other.as_number()).is_some_and(|(one, other)| one == other)),
    })
}

fn all_equal<'v>(
    pairs: impl Iterator<Item = (&'v Value, &'v Value)>,
    meter: &Meter<'_>,
) -> Result<Option<bool>, GraphError> {
    let mut all = Some(true);
    for (one, other) in pairs {
        match equal(one, other, meter)? {
            Some(true) => {}
            Some(false) => return Ok(Some(false)),
            None => all = None,
        }
    }
    Ok(all)
}

/// The order of two values that `<` compares: numbers, texts, booleans or lists; `None` for others.
pub fn ordered(one: &Value, other: &Value, meter: &Meter<'_>) -> Result<Option<Ordering>, GraphError> {
    meter.step(1)?;
    Ok(match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => Some(one.cmp(other)),
        (Value::Text(one), Value::Text(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        (Value::List(_), Value::List(_)) => Some(total(one, other)),
        (one, other) => one.as_number().zip(other.as_number()).and_then(|(one, other)| one.partial_cmp(&other)),
    })
}

/// The order of `ORDER BY`, `min` and `max`, in which null is last. Recursion is bounded by the nesting of values.
pub fn total(one: &Value, other: &Value) -> Ordering {
    match (one, other) {
        (Value::Integer(one), Value::Integer(other)) => one.cmp(other),
        (Value::Text(one), Value::Text(other)) => one.cmp(other),
        (Value::Bool(one), Value::Bool(other)) => one.cmp(other),
        (Value::Node(one), Value::Node(other)) => one.cmp(other),
        (Value::Edge(one), Value::Edge(other)) => one.cmp(other),
        (Value::Path(one), Value::Path(other)) => (&one.nodes, &one.edges).cmp(&(&other.nodes, &other.edges)),
        (Value::List(one), Value::List(other)) => {
            let first = one.items.iter().zip(&other.items).map(|(one, other)| total(one, other));
            first.into_iter().find(|order| order.is_ne()).unwrap_or_else(|| one.items.len().cmp(&other.items.len()))
        }
        (Value::Map(one), Value::Map(other)) => {
            let entries = one.entries.iter().zip(&other.entries);
            let mut first =
                entries.map(|((key, one), (other_key, other))| key.cmp(other_key).then_with(|| total(one, other)));
            first.find(|order| order.is_ne()).unwrap_or_else(|| one.entries.len().cmp(&other.entries.len()))
        }
        (one, other) => match one.as_number().zip(other.as_number()) {
            Some((one, other)) => one.total_cmp(&other),
            None => rank(one).cmp(&rank(other)),
        },
    }
}

const fn rank(value: &Value) -> u8 {
    match value {
        Value::Map(_) => 0,
        Value::Node(_) => 1,
        Value::Edge(_) => 2,
        Value::List(_) => 3,
        Value::Path(_) => 4,
        Value::Text(_) => 5,
        Value::Bool(_) => 6,
        Value::Integer(_) | Value::Float(_) => 7,
        Value::Null => 8,
    }
}

/// Adds bytes that are equal for values that `DISTINCT` and grouping treat as equal.
pub fn key(value: &Value, into: &mut Vec<u8>, meter: &Meter<'_>) -> Result<(), GraphError> {
    meter.step(1)?;
    into.push(rank(value));
    match value {
        Value::Null => {}
        Value::Bool(yes) => into.push(u8::from(*yes)),
        Value::Integer(number) => integer_key(*number, into),
        Value::Float(number) => match whole(*number) {
            Some(number) => integer_key(number, into),
            None => {
                into.push(1);
                into.extend_from_slice(&number.to_bits().to_be_bytes());
            }
        },
        Value::Text(text) => sized(text.as_bytes(), into, meter)?,
        Value::Node(node) => into.extend_from_slice(format!("{node:?}").as_bytes()),
        Value::Edge(edge) => into.extend_from_slice(format!("{edge:?}").as_bytes()),
        Value::Path(path) => sized(format!("{:?}{:?}", path.nodes, path.edges).as_bytes(), into, meter)?,
        Value::List(list) => {
            into.extend_from_slice(&list.items.len().to_be_bytes());
            for item in &list.items {
                key(item, into, meter)?;
            }
        }
        Value::Map(map) => {
            into.extend_from_slice(&map.entries.len().to_be_bytes());
            for (name, value) in &map.entries {
                sized(name.as_bytes(), into, meter)?;
                key(value, into, meter)?;
            }
        }
    }
    Ok(())
}

fn integer_key(number: i64, into: &mut Vec<u8>) {
    into.push(0);
    into.extend_from_slice(&number.to_be_bytes());
}

fn sized(bytes: &[u8], into: &mut Vec<u8>, meter: &Meter<'_>) -> Result<(), GraphError> {
    meter.allocate(bytes.len())?;
    into.extend_from_slice(&bytes.len().to_be_bytes());
    into.extend_from_slice(bytes);
    Ok(())
}

/// The integer that a float is.
#[expect(clippy::cast_possible_truncation, reason = "only floats that are integers in range")]
pub fn whole(number: f64) -> Option<i64> {
    (number.fract() == 0.0 && number.abs() < 9e18).then_some(number as i64)
}
