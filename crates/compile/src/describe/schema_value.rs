//! Operations on JSON Schemas.

use serde_json::{Map, Value, json};

/// Whether named properties are kept or dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Picking {
    Keep,
    Drop,
}

/// Sets a member of an object schema.
pub(super) fn set(schema: &mut Value, name: &str, value: Value) {
    if let Some(members) = schema.as_object_mut() {
        members.insert(name.to_owned(), value);
    }
}

/// A number as a JSON value: integers have no fraction.
pub(super) fn number_value(number: f64) -> Value {
    let text = number.to_string();
    serde_json::from_str(&text).unwrap_or(Value::Null)
}

/// Allows properties that an object schema does not name.
pub(super) fn open(schema: &mut Value) {
    if let Some(members) = schema.as_object_mut() {
        members.entry("additionalProperties").or_insert_with(|| json!({}));
    }
}

/// The intersection of two schemas; two object schemas become one with the members of both. One that is not known may have
/// more properties.
pub(super) fn merged(base: Value, other: Value) -> Value {
    let is_empty = |schema: &Value| schema.as_object().is_some_and(Map::is_empty);
    let opened = |mut schema: Value| {
        if schema.get("properties").or_else(|| schema.get("anyOf")).is_some() {
            open(&mut schema);
        }
        schema
    };
    match (base, other) {
        (base, other) if is_empty(&base) => opened(other),
        (base, other) if is_empty(&other) => opened(base),
        (Value::Object(mut base), Value::Object(other))
            if base.contains_key("properties") && other.contains_key("properties") =>
        {
            for (key, value) in other {
                match (base.get_mut(&key), value) {
                    (Some(Value::Object(own)), Value::Object(more)) => own.extend(more),
                    (Some(Value::Array(own)), Value::Array(more)) => {
                        for item in more {
                            if !own.contains(&item) {
                                own.push(item);
                            }
                        }
                    }
                    (_, value) => {
                        base.insert(key, value);
                    }
                }
            }
            Value::Object(base)
        }
        (base, other) => json!({ "allOf": [base, other] }),
    }
}

/// The schema with only the named properties (`Pick`), or without them (`Omit`).
pub(super) fn picked(mut schema: Value, names: &Value, picking: Picking) -> Value {
    let named: Vec<String> = match (names.get("const"), names.get("enum")) {
        (Some(Value::String(name)), _) => vec![name.clone()],
        (_, Some(Value::Array(names))) => names.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        _ => return schema,
    };
    let stays = |name: &str| named.iter().any(|named| named == name) == (picking == Picking::Keep);
    if let Some(Value::Object(properties)) = schema.get_mut("properties") {
        properties.retain(|name, _| stays(name));
    }
    if let Some(Value::Array(required)) = schema.get_mut("required") {
        required.retain(|name| name.as_str().is_some_and(stays));
    }
    schema
}
