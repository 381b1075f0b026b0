//! A condition on one argument, selected by a JSON pointer.

use super::fit::Fit;
use super::path_set::example_of;
use crate::call_facts::Fact;
use crate::canonical_json::value_hash;
use globset::GlobMatcher;
use serde_json::{Number, Value};
use std::sync::Arc;

#[derive(Debug, Clone)]
pub(crate) struct ArgMatcher {
    pub pointer: String,
    pub test: ArgTest,
}

#[derive(Debug, Clone)]
pub(crate) enum ArgTest {
    OneOf(Vec<Value>),
    Glob {
        text: String,
        glob: GlobMatcher,
    },
    /// The argument is absent.
    Absent,
    /// The SHA-256 of the value as JSON with sorted keys, for long values.
    Hash(String),
}

impl ArgMatcher {
    /// A missing argument meets only the condition `absent`.
    pub fn fit(&self, args: &Fact<Arc<Value>>) -> Fit {
        match args {
            Fact::Nothing => Fit::No,
            Fact::Unknown => Fit::Touches,
            Fact::Known(args) => Fit::covers_if(match args.pointer(&self.pointer) {
                Some(value) => self.test.holds(value),
                None => matches!(self.test, ArgTest::Absent),
            }),
        }
    }

    pub fn name(&self) -> &str {
        self.pointer.strip_prefix('/').unwrap_or(&self.pointer)
    }
}

impl ArgTest {
    fn holds(&self, value: &Value) -> bool {
        match self {
            Self::OneOf(values) => values.iter().any(|known| same(known, value)),
            Self::Glob { glob, .. } => value.as_str().is_some_and(|text| glob.is_match(text)),
            Self::Absent => false,
            Self::Hash(hash) => value_hash(value) == *hash,
        }
    }

    /// A value that meets the condition.
    pub fn example(&self) -> Option<Value> {
        match self {
            Self::OneOf(values) => values.first().cloned(),
            Self::Glob { text, .. } => example_of(text).map(Value::String),
            Self::Absent | Self::Hash(_) => None,
        }
    }

    /// The condition as text: `'a' or 3`.
    pub fn words(&self) -> String {
        match self {
            Self::Glob { text, .. } => format!("matching '{text}'"),
            Self::Absent => "left out".to_owned(),
            Self::Hash(_) => "as it was approved".to_owned(),
            Self::OneOf(values) => {
                let words: Vec<String> = values
                    .iter()
                    .map(|value| match value {
                        Value::String(text) => format!("'{text}'"),
                        Value::Null => "nothing".to_owned(),
                        Value::Bool(value) => value.to_string(),
                        Value::Number(number) => number.to_string(),
                        Value::Array(_) => "the list of the rule".to_owned(),
                        Value::Object(_) => "the object of the rule".to_owned(),
                    })
                    .collect();
                words.join(" or ")
            }
        }
    }
}

/// Equality in which 1 and 1.0 are the same number. The recursion is bounded by the depth of `known`, which the loader limits.
fn same(known: &Value, value: &Value) -> bool {
    match (known, value) {
        (Value::Number(known), Value::Number(value)) => same_number(known, value),
        (Value::Array(known), Value::Array(values)) => {
            known.len() == values.len() && known.iter().zip(values).all(|(known, value)| same(known, value))
        }
        (Value::Object(known), Value::Object(values)) => {
            let same_member = |(key, known): (&String, &Value)| values.get(key).is_some_and(|value| same(known, value));
            known.len() == values.len() && known.iter().all(same_member)
        }
        (Value::String(known), Value::String(value)) => known == value,
        (Value::Bool(known), Value::Bool(value)) => known == value,
        (Value::Null, Value::Null) => true,
        (
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Array(_) | Value::Object(_),
            _,
        ) => false,
    }
}

fn same_number(known: &Number, value: &Number) -> bool {
    match (known.as_i128(), value.as_i128()) {
        (Some(known), Some(value)) => known == value,
        (Some(_) | None, _) => known.as_f64() == value.as_f64(),
    }
}
