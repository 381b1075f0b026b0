//! The flattened parameters of a tool.

use serde_json::Value;

/// Deepest nesting, and most parameters; larger signatures are not compared.
const MAX_DEPTH: usize = 4;
const MAX_PLACES: usize = 16;

/// A parameter, possibly nested.
#[derive(Debug, Clone, PartialEq)]
pub struct Place<'s> {
    /// Its path of keys.
    pub keys: Vec<&'s str>,
    pub schema: &'s Value,
    pub is_required: bool,
}

impl Place<'_> {
    /// Its own name.
    pub fn name(&self) -> &str {
        self.keys.last().copied().unwrap_or_default()
    }
}

/// The parameters of a schema; none when there are too many.
pub fn places(schema: &Value) -> Option<Vec<Place<'_>>> {
    let mut found = Vec::new();
    let mut open = vec![Place { keys: Vec::new(), schema, is_required: true }];
    while let Some(place) = open.pop() {
        match properties(place.schema) {
            Some(properties) if place.keys.len() < MAX_DEPTH => {
                // Each property has at least one parameter.
                if found.len() + open.len() + properties.len() > MAX_PLACES {
                    return None;
                }
                let required = place.schema.get("required").and_then(Value::as_array);
                let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|other| other == name));
                for (name, schema) in properties {
                    let keys = place.keys.iter().copied().chain([name.as_str()]).collect();
                    open.push(Place { keys, schema, is_required: place.is_required && is_required(name) });
                }
            }
            _ if !place.keys.is_empty() => found.push(place),
            _ => {}
        }
        if found.len() + open.len() > MAX_PLACES {
            return None;
        }
    }
    found.sort_by(|left, right| left.keys.cmp(&right.keys));
    Some(found)
}

/// The properties of an object schema, if any.
pub fn properties(schema: &Value) -> Option<&serde_json::Map<String, Value>> {
    schema.get("properties").and_then(Value::as_object).filter(|properties| !properties.is_empty())
}

/// The kind of value of a schema: the type, with that of array items; empty without a type.
pub fn kind(schema: &Value) -> String {
    match schema.get("type").and_then(Value::as_str) {
        Some("integer") => "number".to_owned(),
        Some("array") => format!("array of {}", schema.get("items").map(kind).unwrap_or_default()),
        Some(name) => name.to_owned(),
        None => String::new(),
    }
}

/// Whether two tools have the same required parameters by number and kind.
pub fn is_compatible(one: &Value, other: &Value) -> bool {
    let kinds = |schema: &Value| {
        let mut kinds: Vec<String> =
            places(schema)?.iter().filter(|place| place.is_required).map(|place| kind(place.schema)).collect();
        kinds.sort();
        Some(kinds)
    };
    match (kinds(one), kinds(other)) {
        (Some(one), Some(other)) => one.is_empty() || other.is_empty() || one == other,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::{is_compatible, places};
    use serde_json::{Value, json};

    fn schema(properties: Value, required: &[&str]) -> Value {
        json!({ "type": "object", "properties": properties, "required": required })
    }

    #[test]
    fn nested_parameters_are_flattened() {
        let inner = schema(json!({ "from": { "type": "number" }, "to": { "type": "number" } }), &["from"]);
        let nested = schema(json!({ "range": inner, "tags": { "type": "array" } }), &["range"]);
        let found = places(&nested).unwrap();
        let listed: Vec<(String, bool)> = found.iter().map(|place| (place.keys.join("."), place.is_required)).collect();
        let listed: Vec<(&str, bool)> = listed.iter().map(|(keys, required)| (keys.as_str(), *required)).collect();
        assert_eq!(listed, [("range.from", true), ("range.to", false), ("tags", false)]);
        let wide: serde_json::Map<String, Value> = (0..40).map(|at| (at.to_string(), json!({}))).collect();
        assert!(places(&schema(Value::Object(wide), &[])).is_none());
        assert!(places(&json!({})).unwrap().is_empty());
    }

    #[test]
    fn very_wide_schemas_are_rejected_by_count() {
        let names: Vec<String> = (0..60_000).map(|at| format!("parameter {at}")).collect();
        let wide: serde_json::Map<String, Value> = names.iter().map(|name| (name.clone(), json!({}))).collect();
        let required: Vec<&str> = names.iter().map(String::as_str).collect();
        let wide = schema(Value::Object(wide), &required);
        // Decided by the number of parameters, before any name is compared.
        assert!(places(&wide).is_none() && is_compatible(&wide, &wide));
    }

    #[test]
    fn signatures_are_compared_by_kind_and_not_by_name() {
        let number = json!({ "type": "number" });
        let net = schema(json!({ "net": number, "rate": number }), &["net", "rate"]);
        let price = schema(json!({ "price": { "type": "integer" }, "share": number, "note": {} }), &["price", "share"]);
        assert!(is_compatible(&net, &price));
        let one = schema(json!({ "net": number }), &["net"]);
        let text = schema(json!({ "net": number, "rate": { "type": "string" } }), &["net", "rate"]);
        assert!(!is_compatible(&net, &one) && !is_compatible(&net, &text));
        assert!(is_compatible(&net, &json!({})), "nothing is known");
    }
}
