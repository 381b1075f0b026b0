//! Validation and truncation of JSON for the ledger.

use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use std::collections::BTreeMap;
use tgp_base::text_hash::text_hash;

/// Longest text that is recorded whole.
const MAX_BYTES: usize = 4 << 20;
/// Most values that are recorded: parsed, each takes many times the memory of its text.
const MAX_VALUES: usize = 200_000;
/// Smaller members are always recorded.
const SMALL_BYTES: usize = 64 << 10;

/// The text, or none if it is not JSON. What is longer than `keep_bytes` is replaced by its hash, length and `preview`;
/// in an object, member by member.
#[must_use]
pub fn shown(json: &str, keep_bytes: usize, preview: &dyn Fn(&str) -> String) -> Option<Box<RawValue>> {
    let named = |json: &str| {
        let summary = json!({ "cut": text_hash(json.as_bytes()), "bytes": json.len(), "preview": preview(json) });
        to_raw_value(&summary).ok()
    };
    if json.len() > MAX_BYTES || holds_more_than(json, MAX_VALUES) {
        return named(json);
    }
    let value = serde_json::from_str::<&RawValue>(json).ok()?;
    let most = keep_bytes.max(SMALL_BYTES);
    if json.len() <= most {
        return Some(value.to_owned());
    }
    let Ok(members) = serde_json::from_str::<BTreeMap<String, &RawValue>>(json) else {
        return named(json);
    };
    let shorter: BTreeMap<String, Option<Box<RawValue>>> = members
        .into_iter()
        .map(|(name, member)| {
            (name, if member.get().len() > most { named(member.get()) } else { Some(member.to_owned()) })
        })
        .collect();
    to_raw_value(&shorter).ok()
}

/// Whether the text has more than `most` values, estimated by its commas and brackets.
pub fn holds_more_than(json: &str, most: usize) -> bool {
    // A value and its separator take at least two bytes.
    if json.len() / 2 <= most {
        return false;
    }
    let (mut is_text, mut is_escaped, mut values) = (false, false, 0);
    for byte in json.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = is_text,
            b'"' => is_text = !is_text,
            b',' | b'[' | b'{' if !is_text => values += 1,
            _ => {}
        }
    }
    values > most
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, MAX_VALUES};
    use serde_json::value::RawValue;

    const KEPT: usize = 256 << 10;

    fn shown(json: &str, keep_bytes: usize) -> Option<Box<RawValue>> {
        super::shown(json, keep_bytes, &|text| text.chars().take(256).collect())
    }

    #[test]
    fn short_json_is_kept_and_long_json_is_summarised() {
        assert_eq!(shown(r#"{"a":[1]}"#, KEPT).unwrap().get(), r#"{"a":[1]}"#);
        assert!(shown("{", KEPT).is_none() && shown("", KEPT).is_none());
        let long = format!("\"{}\"", "é".repeat(MAX_BYTES));
        let cut = shown(&long, KEPT).unwrap();
        assert!(cut.get().len() < 1200 && cut.get().contains(&format!("\"bytes\":{}", long.len())), "{cut}");
    }

    #[test]
    fn only_long_members_of_an_object_are_summarised() {
        let long = "x".repeat(KEPT);
        let cut = shown(&format!(r#"{{"path":"a.ts","content":"{long}"}}"#), KEPT).unwrap();
        assert!(cut.get().len() < 1200 && cut.get().contains(r#""path":"a.ts""#), "{cut}");
        let two = format!(r#"{{"a":"{0}","b":"{0}"}}"#, &"y".repeat(KEPT - 2));
        assert_eq!(shown(&two, KEPT).unwrap().get(), two);
        assert!(shown(&format!(r#"["{long}"]"#), KEPT).unwrap().get().len() < 1200);
    }

    #[test]
    fn json_with_too_many_values_is_summarised() {
        let wide = format!("[{}0]", "0,".repeat(MAX_VALUES));
        assert!(shown(&wide, MAX_BYTES).unwrap().get().contains("\"cut\":"));
        let text = format!("[\"{}\\\"{}\"]", "a,".repeat(MAX_VALUES), "[{,".repeat(MAX_VALUES));
        assert_eq!(shown(&text, MAX_BYTES).unwrap().get(), text);
    }
}
