//! JSON as the ledger takes it: valid, and not longer than anybody keeps.

use crate::kernel::text_hash::text_hash;
use serde_json::json;
use serde_json::value::RawValue;

/// Longest text that is written down as it is; the ledger's own limit for what it keeps whole is below it.
const MOST_BYTES: usize = 4 << 20;
/// Most values that are written down: taken apart, each takes many times the room of its text.
const MOST_VALUES: usize = 200_000;
const PREVIEW_CHARS: usize = 256;

/// The text as it was given, its length and hash where it is too long or holds too much, or nothing where it is no JSON.
#[must_use]
pub fn shown(json: &str) -> Option<Box<RawValue>> {
    if json.len() <= MOST_BYTES && !holds_more_than(json, MOST_VALUES) {
        return serde_json::from_str::<&RawValue>(json).ok().map(ToOwned::to_owned);
    }
    let preview: String = json.chars().take(PREVIEW_CHARS).collect();
    let cut = json!({ "cut": text_hash(json.as_bytes()), "bytes": json.len(), "preview": preview });
    serde_json::value::to_raw_value(&cut).ok()
}

/// Whether there are more values in the text, as its commas and brackets tell.
pub fn holds_more_than(json: &str, most: usize) -> bool {
    // A value and what divides it from the next take two bytes at least.
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
    use super::{MOST_BYTES, MOST_VALUES, shown};

    #[test]
    fn short_json_stays_and_long_json_is_named() {
        assert_eq!(shown(r#"{"a":[1]}"#).unwrap().get(), r#"{"a":[1]}"#);
        assert!(shown("{").is_none() && shown("").is_none());
        let long = format!("\"{}\"", "é".repeat(MOST_BYTES));
        let cut = shown(&long).unwrap();
        assert!(cut.get().len() < 1200 && cut.get().contains(&format!("\"bytes\":{}", long.len())), "{cut}");
    }

    #[test]
    fn json_of_too_many_values_is_named_and_a_long_text_stays() {
        let wide = format!("[{}0]", "0,".repeat(MOST_VALUES));
        assert!(shown(&wide).unwrap().get().contains("\"cut\":"));
        let text = format!("[\"{}\\\"{}\"]", "a,".repeat(MOST_VALUES), "[{,".repeat(MOST_VALUES));
        assert_eq!(shown(&text).unwrap().get(), text);
    }
}
