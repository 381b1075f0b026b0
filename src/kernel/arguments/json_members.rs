//! The members of JSON objects and lists as raw text, without reading the values.

use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::fmt;

/// Calls `visit` with each member of an object; `false` ends it. Does nothing if the text is not an object.
pub fn each_member(text: &str, visit: impl FnMut(String, &str) -> bool) {
    let _ended = serde_json::Deserializer::from_str(text).deserialize_map(Members(visit));
}

/// Calls `visit` with each item of a list; `false` ends it. Does nothing if the text is not a list.
pub fn each_item(text: &str, visit: impl FnMut(usize, &str) -> bool) {
    let _ended = serde_json::Deserializer::from_str(text).deserialize_seq(Items(visit));
}

struct Members<F>(F);

impl<'de, F: FnMut(String, &str) -> bool> Visitor<'de> for Members<F> {
    type Value = IgnoredAny;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<Self::Value, A::Error> {
        while let Some((name, value)) = members.next_entry::<String, &RawValue>()? {
            if !(self.0)(name, value.get()) {
                return Err(A::Error::custom("ended"));
            }
        }
        Ok(IgnoredAny)
    }
}

struct Items<F>(F);

impl<'de, F: FnMut(usize, &str) -> bool> Visitor<'de> for Items<F> {
    type Value = IgnoredAny;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut at = 0;
        while let Some(value) = items.next_element::<&RawValue>()? {
            if !(self.0)(at, value.get()) {
                return Err(A::Error::custom("ended"));
            }
            at += 1;
        }
        Ok(IgnoredAny)
    }
}

#[cfg(test)]
mod tests {
    use super::{each_item, each_member};

    #[test]
    fn members_and_items_are_raw_text_also_of_deep_values() {
        let deep = format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000));
        let mut seen = Vec::new();
        each_member(&format!(r#"{{"a": {deep}, "b\n": "x"}}"#), |name, value| {
            seen.push((name, value.len()));
            true
        });
        assert_eq!(seen, [("a".to_owned(), 20_001), ("b\n".to_owned(), 3)]);
        let mut items = Vec::new();
        each_item("[1, [2], 3]", |at, value| {
            items.push(value.to_owned());
            at < 1
        });
        assert_eq!(items, ["1", "[2]"]);
        let mut others = 0;
        each_item("{}", |_, _| {
            others += 1;
            true
        });
        each_member("5", |_, _| {
            others += 1;
            true
        });
        assert_eq!(others, 0);
    }
}
