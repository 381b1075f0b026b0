//! Canonical JSON, and its hash.

use ring::digest::{SHA256, digest};
use serde_json::Value;

/// The hash that a `sha256` condition on an argument compares. Numbers count as they are written.
#[must_use]
pub fn value_hash(value: &Value) -> String {
    hex(digest(&SHA256, canonical_json(value).as_bytes()).as_ref())
}

/// JSON with sorted keys. The recursion is bounded: values of policies and calls have a depth limit.
pub(crate) fn canonical_json(value: &Value) -> String {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(canonical_json).collect();
            format!("[{}]", items.join(","))
        }
        Value::Object(members) => {
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            members.sort_by_key(|(key, _)| *key);
            let members: Vec<String> = members
                .into_iter()
                .map(|(key, value)| format!("{}:{}", Value::from(key.as_str()), canonical_json(value)))
                .collect();
            format!("{{{}}}", members.join(","))
        }
    }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
