//! Extraction of large values, which are stored by their hash.

use super::canonical::canonical;
use super::event::Blob;
use crate::hash::Hash;
use serde_json::{Map, Value, json};

/// Larger values are extracted.
const LARGE: usize = 4096;

/// The value of a JSON text of at most this length is not large: two characters weigh four at most.
pub const NEVER_LARGE: usize = LARGE / 2 - 4;

/// The number of characters of a value that stay in the event.
pub const PREVIEW: usize = 256;

/// The member that marks a reference. The same member in foreign objects is escaped with another `$`.
pub const REFERENCE: &str = "$blob";

/// Extracts the large values of a body: its members, and members of its objects and arrays. Returns values of at most
/// `keep_bytes`, to be stored; of larger ones only the hash is kept.
pub fn extract_blobs(body: &mut Map<String, Value>, keep_bytes: usize) -> Vec<Blob> {
    let mut blobs = Vec::new();
    for value in body.values_mut() {
        escape(value);
        if weight(value) > LARGE {
            match extract_members(value, keep_bytes) {
                Some(inner) => blobs.extend(inner),
                None => blobs.extend(refer(value, keep_bytes)),
            }
        }
    }
    blobs
}

/// The most members of one value that are extracted separately.
const MAX_EXTRACTED: usize = 256;

/// Extracts the large members of an object or array; `None`, without changes, if it would remain large. A value that is too
/// large to be stored as one is split in any case, since its members may be stored.
fn extract_members(value: &mut Value, keep_bytes: usize) -> Option<Vec<Blob>> {
    let small: usize = members(value).map(weight).filter(|weight| *weight <= LARGE).sum();
    let large = members(value).filter(|member| weight(member) > LARGE).count();
    // A reference has some 400 bytes.
    let stays_large = small + 400 * large > LARGE;
    if large == 0 || small > LARGE || large > MAX_EXTRACTED || (stays_large && weight(value) <= keep_bytes) {
        return None;
    }
    let mut blobs = Vec::new();
    let apart = |member: &mut Value| {
        if weight(member) > LARGE {
            blobs.extend(refer(member, keep_bytes));
        }
    };
    match value {
        Value::Object(object) => object.values_mut().for_each(apart),
        Value::Array(list) => list.iter_mut().for_each(apart),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
    Some(blobs)
}

fn members(value: &Value) -> Box<dyn Iterator<Item = &Value> + '_> {
    match value {
        Value::Object(object) => Box::new(object.values()),
        Value::Array(list) => Box::new(list.iter()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Box::new(std::iter::empty()),
    }
}

/// Replaces a value by a reference, and returns the blob to store.
fn refer(value: &mut Value, keep_bytes: usize) -> Option<Blob> {
    let (text, form) = match value {
        Value::String(text) => (std::mem::take(text), "text"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            (canonical(value), "json")
        }
    };
    let hash = Hash::of(text.as_bytes());
    let preview: String = text.chars().take(PREVIEW).collect();
    let mut reference = json!({ REFERENCE: hash.hex(), "bytes": text.len(), "form": form, "preview": preview });
    let kept = text.len() <= keep_bytes;
    if let (false, Some(reference)) = (kept, reference.as_object_mut()) {
        reference.insert("kept".to_owned(), Value::Bool(false));
    }
    *value = reference;
    kept.then(|| Blob { hash, bytes: text.into_bytes() })
}

/// The approximate size of a value's JSON text.
fn weight(value: &Value) -> usize {
    let mut weight = 0;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        weight += 4;
        match value {
            Value::String(text) => weight += text.len(),
            Value::Array(list) => open.extend(list),
            Value::Object(object) => {
                for (name, member) in object {
                    weight += name.len();
                    open.push(member);
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    weight
}

/// Escapes members that would make a foreign object look like a reference: `$blob` becomes `$$blob`.
fn escape(value: &mut Value) {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(list) => open.extend(list),
            Value::Object(object) => {
                if object.keys().any(|name| looks_like_reference(name)) {
                    let members = std::mem::take(object);
                    let renamed = |name: String| if looks_like_reference(&name) { format!("${name}") } else { name };
                    object.extend(members.into_iter().map(|(name, member)| (renamed(name), member)));
                }
                open.extend(object.values_mut());
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn looks_like_reference(name: &str) -> bool {
    name.starts_with('$') && name.trim_start_matches('$') == "blob"
}

/// The hashes of the stored values that a canonical content refers to.
pub fn references(content: &str) -> Vec<Hash> {
    if !content.contains("\"$blob\":") {
        return Vec::new();
    }
    let Ok(content) = serde_json::from_str::<Value>(content) else { return Vec::new() };
    let mut found = Vec::new();
    let mut open = vec![&content];
    while let Some(value) = open.pop() {
        if let Some(Value::String(hash)) = value.get(REFERENCE) {
            if value.get("kept").is_none() {
                found.extend(Hash::parse(hash));
            }
        } else {
            open.extend(members(value));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{LARGE, NEVER_LARGE, extract_blobs, references, weight};
    use crate::event::canonical::canonical_object;
    use crate::hash::Hash;
    use serde_json::{Map, Value, json};

    fn body(value: Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn the_value_of_a_short_text_is_never_large() {
        for part in ["0,", "[],", "\"\",", "{},", "{\"\":0},", "\"x\","] {
            let list = part.repeat((NEVER_LARGE - 1) / part.len());
            let text = format!("[{}]", list.trim_end_matches(','));
            assert!(text.len() <= NEVER_LARGE);
            assert!(weight(&serde_json::from_str(&text).unwrap()) <= LARGE, "{part}");
        }
        let deep = format!("{}{}", "[".repeat(90), "]".repeat(90));
        assert!(weight(&serde_json::from_str(&deep).unwrap()) <= 2 * deep.len() + 4);
    }

    #[test]
    fn small_values_stay() {
        let before = body(json!({ "args": { "a": "x".repeat(LARGE - 200) }, "n": 1 }));
        let mut after = before.clone();
        assert!(extract_blobs(&mut after, 1000).is_empty());
        assert_eq!(after, before);
    }

    #[test]
    fn a_large_member_is_extracted_alone() {
        let text = "ü".repeat(5000);
        let mut body = body(json!({ "args": { "path": "a.ts", "content": text }, "result": text }));
        let blobs = extract_blobs(&mut body, 1 << 20);
        assert_eq!(blobs.len(), 2);
        assert_eq!(blobs[0].bytes, text.as_bytes());
        let hash = Hash::of(text.as_bytes());
        assert_eq!(body["args"]["path"], "a.ts");
        assert_eq!(body["args"]["content"]["$blob"], hash.hex());
        assert_eq!(body["result"]["bytes"], 10_000);
        assert_eq!(body["result"]["preview"].as_str().unwrap().chars().count(), 256);
        assert_eq!(references(&canonical_object(&body)), [hash, hash]);
    }

    #[test]
    fn many_small_members_are_extracted_together() {
        let list: Vec<_> = (0..2000).map(|n| format!("entry {n}")).collect();
        let mut body = body(json!({ "result": list }));
        let blobs = extract_blobs(&mut body, 1 << 20);
        assert_eq!(blobs[0].bytes, serde_json::to_vec(&list).unwrap());
        assert_eq!(body["result"]["form"], "json");
    }

    #[test]
    fn large_members_are_stored_separately_if_too_large_together() {
        let inputs: Map<_, _> = (0..12).map(|n| (format!("c{n}"), Value::String("x".repeat(5000)))).collect();
        let mut kept = body(json!({ "inputs": inputs }));
        let blobs = extract_blobs(&mut kept, 10_000);
        assert_eq!(blobs.len(), 12);
        assert_eq!(kept["inputs"]["c11"]["bytes"], 5000);
        let mut together = body(json!({ "inputs": inputs }));
        assert_eq!(extract_blobs(&mut together, 1 << 20).len(), 1);
    }

    #[test]
    fn oversized_values_are_only_hashed() {
        let mut body = body(json!({ "result": "x".repeat(5000) }));
        assert!(extract_blobs(&mut body, 4999).is_empty());
        assert_eq!(body["result"]["kept"], false);
        assert!(references(&canonical_object(&body)).is_empty());
    }

    #[test]
    fn foreign_objects_cannot_imitate_references() {
        let mut body = body(json!({ "args": { "$blob": "00", "deep": [{ "$$blob": 1, "$blobs": 2 }] } }));
        assert!(extract_blobs(&mut body, 10).is_empty());
        assert_eq!(Value::Object(body), json!({ "args": { "$$blob": "00", "deep": [{ "$$$blob": 1, "$blobs": 2 }] } }));
    }
}
