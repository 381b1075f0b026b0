//! The last successful run of each tool, shown in its pull request.
//!
//! Pull requests have more readers than runs, so data is masked: only the structure, small numbers, and keys that occur
//! in the tool's source are shown.

use crate::kernel::bounded_cache::BoundedCache;
use serde_json::{Map, Value};
use std::sync::atomic::{AtomicBool, Ordering};

const MAX_TOOLS: usize = 256;
const MAX_INPUT_BYTES: usize = 16 << 10;
const MAX_TEXT_CHARS: usize = 600;
const MAX_ITEMS: usize = 5;
/// Most keys that are looked up for one value: more would not fit, as each takes at least `"k":1,`.
const MAX_LOOKUPS: usize = MAX_TEXT_CHARS / 6;
/// Numbers from here on may identify an account or a person.
const LARGE: f64 = 1e6;

/// Masked arguments and result of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunExample {
    pub args: String,
    pub result: String,
}

/// Examples since the boot.
pub struct RunExamples {
    kept: BoundedCache<String, RunExample>,
    is_new: AtomicBool,
}

impl Default for RunExamples {
    fn default() -> Self {
        Self { kept: BoundedCache::new(MAX_TOOLS), is_new: AtomicBool::new(false) }
    }
}

impl RunExamples {
    /// Records a successful run of the tool at `path`. `is_spelt` is whether its source contains a word: such keys are
    /// public anyway.
    pub fn record(&self, path: &str, args_json: &str, result_json: &str, is_spelt: impl Fn(&str) -> bool) {
        let shown = |json: &str| {
            let value = if json.len() > MAX_INPUT_BYTES { None } else { serde_json::from_str(json).ok() };
            let mut mask = Mask { is_spelt: &is_spelt, lookups: 0 };
            value.map(|value: Value| bounded(&mask.masked(value).to_string()))
        };
        let (Some(args), Some(result)) = (shown(args_json), shown(result_json)) else { return };
        let example = RunExample { args, result };
        if self.kept.put(path.to_owned(), example.clone()) != Some(example) {
            self.is_new.store(true, Ordering::Relaxed);
        }
    }

    /// Removes the example of a tool whose text changes.
    pub fn forget(&self, path: &str) {
        self.kept.remove(path);
    }

    #[must_use]
    pub fn of(&self, path: &str) -> Option<RunExample> {
        self.kept.get(path)
    }

    /// Whether there are new examples since the last call.
    pub fn take_news(&self) -> bool {
        self.is_new.swap(false, Ordering::Relaxed)
    }
}

struct Mask<'m> {
    is_spelt: &'m dyn Fn(&str) -> bool,
    lookups: usize,
}

impl Mask<'_> {
    fn masked(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(format!("<{} characters>", text.chars().count())),
            Value::Number(number) if number.as_f64().is_none_or(|number| number.abs() >= LARGE) => {
                Value::String("<number>".to_owned())
            }
            Value::Array(items) => {
                let more = items.len().saturating_sub(MAX_ITEMS);
                let mut items: Vec<Value> = items.into_iter().take(MAX_ITEMS).map(|item| self.masked(item)).collect();
                if more > 0 {
                    items.push(Value::String(format!("<{more} more>")));
                }
                Value::Array(items)
            }
            Value::Object(fields) => Value::Object(self.masked_fields(fields)),
            plain @ (Value::Null | Value::Bool(_) | Value::Number(_)) => plain,
        }
    }

    /// Keys that do not occur in the source are data, and are numbered.
    fn masked_fields(&mut self, fields: Map<String, Value>) -> Map<String, Value> {
        let mut masked = Map::new();
        let mut data = 0_usize;
        for (key, value) in fields {
            if self.is_own(&key) {
                masked.insert(key, self.masked(value));
                continue;
            }
            data += 1;
            if data <= MAX_ITEMS {
                masked.insert(format!("<key {data}>"), self.masked(value));
            }
        }
        if let Some(more) = data.checked_sub(MAX_ITEMS).filter(|more| *more > 0) {
            masked.insert(format!("<{more} more keys>"), Value::Null);
        }
        masked
    }

    fn is_own(&mut self, key: &str) -> bool {
        self.lookups += 1;
        self.lookups <= MAX_LOOKUPS && (self.is_spelt)(key)
    }
}

fn bounded(text: &str) -> String {
    let mut shown: String = text.chars().take(MAX_TEXT_CHARS).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::RunExamples;
    use std::cell::Cell;

    #[test]
    fn numbers_and_structure_are_shown_and_texts_are_masked() {
        let examples = RunExamples::default();
        let args = r#"{"net":100,"name":"Ada","card":4111111111111111}"#;
        examples.record("tools/a.ts", args, "[1,2,3,4,5,6,7]", |_| true);
        let example = examples.of("tools/a.ts").unwrap();
        assert_eq!(example.args, r#"{"card":"<number>","name":"<3 characters>","net":100}"#);
        assert_eq!(example.result, r#"[1,2,3,4,5,"<2 more>"]"#);
        assert!(examples.take_news());
        assert!(!examples.take_news());
        examples.forget("tools/a.ts");
        assert_eq!(examples.of("tools/a.ts"), None);
    }

    #[test]
    fn data_keys_are_masked() {
        let examples = RunExamples::default();
        let result = r#"{"total":2,"ada@example.com":{"total":1},"Grace":{"total":[{"bob":1}]}}"#;
        examples.record("tools/a.ts", "{}", result, |word| word == "total");
        let shown = examples.of("tools/a.ts").unwrap().result;
        assert_eq!(shown, r#"{"<key 1>":{"total":[{"<key 1>":1}]},"<key 2>":{"total":1},"total":2}"#);
        let many: Vec<String> = (0..400).map(|index| format!("\"k{index}\":1")).collect();
        examples.record("tools/a.ts", "{}", &format!("{{{}}}", many.join(",")), |_| false);
        let shown = examples.of("tools/a.ts").unwrap().result;
        assert!(shown.contains("<395 more keys>") && !shown.contains("k1"), "{shown}");
    }

    #[test]
    fn long_examples_are_truncated_or_left_out() {
        let examples = RunExamples::default();
        let long = format!("[{}]", vec!["[true,false,null]"; 500].join(","));
        examples.record("tools/a.ts", "{}", &long, |_| true);
        assert!(examples.of("tools/a.ts").unwrap().result.len() < 300);
        examples.record("tools/b.ts", "{}", &"x".repeat(20_000), |_| true);
        assert_eq!(examples.of("tools/b.ts"), None);
        let lookups = Cell::new(0);
        let wide: Vec<String> = (0..400).map(|index| format!("\"k{index}\":1")).collect();
        let is_spelt = |_: &str| {
            lookups.set(lookups.get() + 1);
            true
        };
        examples.record("tools/c.ts", "{}", &format!("{{{}}}", wide.join(",")), is_spelt);
        assert_eq!(lookups.get(), 100, "lookups are bounded");
        assert!(examples.of("tools/c.ts").unwrap().result.ends_with('…'));
    }
}
