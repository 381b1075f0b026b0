//! Checks JSON text against a schema, with bounded work, and describes what is wrong.

use super::argument_schema::{ArgumentSchema, Kind, Known};
use super::json_members::{each_item, each_member};
use serde::Serialize;
use serde_json::Value;
use tgp_base::spelling::nearest;

/// Maximum number of reported problems, and maximum length of a key.
const MAX_PROBLEMS: usize = 10;
const MAX_KEY_CHARS: usize = 100;
/// Maximum number of known keys in a message.
const MAX_SHOWN_KEYS: usize = 40;
/// Maximum length of a text quoted in a message.
const MAX_SHOWN_CHARS: usize = 40;
/// How often each byte may be read: a value is read once per level of the schema, and once per alternative.
const READS: usize = 8;
const LEAST_WORK: usize = 1 << 20;
/// The work for a value besides reading it, in bytes.
const VALUE_WORK: usize = 32;

/// A rejected value: why, and a similar known key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    pub key: String,
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

/// The problems of a JSON text; none if it is valid, or if checking the rest would take too long.
pub fn problems(schema: &ArgumentSchema, json: &str) -> Vec<Problem> {
    let json = json.trim();
    let is_inferred = schema.is_inferred();
    if is_inferred && Kind::of(json) != Kind::Object {
        return Vec::new();
    }
    let mut check = Check::of(json);
    let names = if is_inferred { Names::Suggested } else { Names::Checked };
    let mut found = check.value(schema, json, &Place::Root, names);
    found.truncate(MAX_PROBLEMS);
    found
}

/// Where a value is.
enum Place<'p> {
    Root,
    At(&'p Place<'p>, &'p str),
}

impl Place<'_> {
    fn key(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::At(Self::Root, name) => shortened(name),
            Self::At(outer, name) => format!("{}.{}", outer.key(), shortened(name)),
        }
    }

    fn at(&self, name: &str) -> String {
        Place::At(self, name).key()
    }
}

/// Whether unknown names are reported here, or where the alternatives of the value are chosen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Names {
    Checked,
    /// Only misspelt names are reported: the known ones are those that a script without types reads.
    Suggested,
    Unchecked,
}

impl Names {
    fn reports(self, unknown: &Problem) -> bool {
        self == Self::Checked || unknown.suggestion.is_some()
    }
}

struct Check {
    /// Bytes that may still be read.
    left: usize,
}

impl Check {
    fn of(json: &str) -> Self {
        Self { left: json.len().saturating_mul(READS).saturating_add(LEAST_WORK) }
    }

    /// Spends work; false when there is not enough left.
    fn spend(&mut self, bytes: usize) -> bool {
        let left = self.left.checked_sub(bytes);
        self.left = left.unwrap_or_default();
        left.is_some()
    }

    fn value(&mut self, schema: &ArgumentSchema, json: &str, place: &Place<'_>, names: Names) -> Vec<Problem> {
        if !self.spend(VALUE_WORK) {
            return Vec::new();
        }
        let kind = Kind::of(json);
        if !schema.takes(kind) || (schema.kind == Some(Kind::Whole) && !is_whole(json)) {
            return vec![invalid(schema, json, place)];
        }
        if !schema.values.is_empty() && !self.is_listed(schema, json) {
            return vec![invalid(schema, json, place)];
        }
        let mut found = match kind {
            Kind::Object => self.object(schema, json, place, names),
            Kind::List => self.list(schema, json, place),
            Kind::Text | Kind::Number | Kind::Whole | Kind::Flag | Kind::Null => Vec::new(),
        };
        found.extend(self.alternatives(schema, json, kind, place));
        found
    }

    /// The problems of the alternative with the fewest; none if one is valid.
    fn alternatives(&mut self, schema: &ArgumentSchema, json: &str, kind: Kind, place: &Place<'_>) -> Vec<Problem> {
        let mut fewest: Option<Vec<Problem>> = None;
        for one in schema.any_of.iter().filter(|one| one.takes(kind)) {
            let found = self.value(one, json, place, Names::Unchecked);
            if found.is_empty() {
                return found;
            }
            if fewest.as_ref().is_none_or(|fewest| found.len() < fewest.len()) {
                fewest = Some(found);
            }
        }
        match fewest {
            Some(found) if matches!(kind, Kind::Object | Kind::List) => found,
            Some(_) => vec![invalid(schema, json, place)],
            None => Vec::new(),
        }
    }

    fn object(&mut self, schema: &ArgumentSchema, json: &str, place: &Place<'_>, names: Names) -> Vec<Problem> {
        let is_open = names == Names::Unchecked || schema.known == Known::Any;
        if (is_open && schema.properties.is_empty() && schema.others.is_none()) || !self.spend(json.len()) {
            return Vec::new();
        }
        // In the order of the schema.
        let mut of_known: Vec<Vec<Problem>> = schema.properties.iter().map(|_| Vec::new()).collect();
        let mut is_given = vec![false; schema.properties.len()];
        let mut of_others = Vec::new();
        each_member(json, |name, value| {
            let known = schema.properties.iter().position(|(known, _)| *known == name);
            let below = Place::At(place, &name);
            match (known, &schema.others) {
                (Some(at), _) => {
                    if let (Some((_, schema)), Some(found), Some(given)) =
                        (schema.properties.get(at), of_known.get_mut(at), is_given.get_mut(at))
                    {
                        *given = true;
                        *found = self.value(schema, value, &below, Names::Checked);
                    }
                }
                (None, Some(others)) => of_others.extend(self.value(others, value, &below, Names::Checked)),
                (None, None) => {
                    if let Known::Named(known) = &schema.known
                        && names != Names::Unchecked
                        && !known.contains(&name)
                    {
                        let problem = unknown(&name, known, place);
                        of_others.extend(Some(problem).filter(|problem| names.reports(problem)));
                    }
                }
            }
            of_others.len() < MAX_PROBLEMS && self.spend(schema.properties.len())
        });
        let given = schema.properties.iter().zip(of_known).zip(is_given);
        let mut found: Vec<Problem> = given
            .flat_map(|(((name, part), found), is_given)| match is_given {
                false if schema.required.contains(name) => vec![missing(part, &place.at(name))],
                false | true => found,
            })
            .collect();
        found.extend(of_others);
        found
    }

    fn list(&mut self, schema: &ArgumentSchema, json: &str, place: &Place<'_>) -> Vec<Problem> {
        if (schema.items.is_none() && schema.first_items.is_empty()) || !self.spend(json.len()) {
            return Vec::new();
        }
        let (mut found, mut length) = (Vec::new(), 0);
        each_item(json, |at, value| {
            length = at + 1;
            if let Some(item) = schema.first_items.get(at).or(schema.items.as_deref()) {
                found.extend(self.value(item, value, &Place::At(place, &at.to_string()), Names::Checked));
            }
            found.len() < MAX_PROBLEMS && self.spend(1)
        });
        let lacking = schema.first_items.iter().enumerate().take(schema.least_items).skip(length);
        found.extend(lacking.map(|(at, item)| missing(item, &place.at(&at.to_string()))));
        found.extend(schema.most_items.filter(|most| length > *most).map(|most| too_long(most, place)));
        found
    }

    fn is_listed(&mut self, schema: &ArgumentSchema, json: &str) -> bool {
        let longest = schema.values.iter().map(|value| value.to_string().len()).max().unwrap_or_default();
        // An escaped letter is at most six bytes.
        if json.len() > longest.saturating_mul(6).max(64) {
            return false;
        }
        if !self.spend(json.len() + schema.values.len()) {
            return true;
        }
        let Ok(given) = serde_json::from_str::<Value>(json) else { return false };
        schema.values.iter().any(|value| match (value.as_f64(), given.as_f64()) {
            (Some(value), Some(given)) => value.to_bits() == given.to_bits(),
            _ => *value == given,
        })
    }
}

fn is_whole(json: &str) -> bool {
    serde_json::from_str::<f64>(json).is_ok_and(|number| number.fract() == 0.0)
}

fn missing(schema: &ArgumentSchema, key: &str) -> Problem {
    let message = format!("\"{key}\" is missing: give {}", schema.wanted());
    Problem { key: key.to_owned(), message, suggestion: None }
}

fn too_long(most: usize, place: &Place<'_>) -> Problem {
    let key = place.key();
    let subject = if key.is_empty() { "the list".to_owned() } else { format!("\"{key}\"") };
    let items = if most == 1 { "item" } else { "items" };
    Problem { key, message: format!("{subject} is too long: give at most {most} {items}"), suggestion: None }
}

fn invalid(schema: &ArgumentSchema, json: &str, place: &Place<'_>) -> Problem {
    let key = place.key();
    let subject = if key.is_empty() { "the value".to_owned() } else { format!("\"{key}\"") };
    let wanted = schema.wanted();
    let message = match (Kind::of(json), short_text(json)) {
        (Kind::Text, _) if json == "\"\"" => format!("{subject} is not valid: give {wanted}, not an empty text"),
        (Kind::Text, Some(text)) => format!("{subject} is not valid: give {wanted}, not the text {text}"),
        // Another text is expected, so the type is not the problem.
        (Kind::Text, None) if schema.wants_text() => format!("{subject} is not valid: give {wanted}"),
        (Kind::Number, _) => format!("{subject} is not valid: give {wanted}, not {json}"),
        (kind, _) => format!("{subject} is not valid: give {wanted}, not {}", kind.name()),
    };
    Problem { key, message, suggestion: None }
}

/// The text, quoted, if it is short.
fn short_text(json: &str) -> Option<String> {
    // An escaped letter is at most six bytes.
    let text = (json.len() <= MAX_SHOWN_CHARS * 6 + 2).then(|| serde_json::from_str::<String>(json).ok()).flatten()?;
    (text.chars().count() <= MAX_SHOWN_CHARS).then(|| Value::from(text).to_string())
}

fn unknown(name: &str, known: &[String], place: &Place<'_>) -> Problem {
    let key = place.at(name);
    let near = nearest(name, known.iter().map(String::as_str)).map(|near| place.at(near));
    let message = match &near {
        Some(near) => format!("\"{key}\" is not known, did you mean \"{near}\"?"),
        None => {
            let shown: Vec<&str> = known.iter().take(MAX_SHOWN_KEYS).map(String::as_str).collect();
            let more = if known.len() > MAX_SHOWN_KEYS { ", …" } else { "" };
            format!("\"{key}\" is not known here (known: {}{more})", shown.join(", "))
        }
    };
    Problem { key, message, suggestion: near }
}

fn shortened(key: &str) -> String {
    match key.char_indices().nth(MAX_KEY_CHARS) {
        Some((end, _)) => format!("{}…", key.get(..end).unwrap_or_default()),
        None => key.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Check, LEAST_WORK, Names, Place, READS, VALUE_WORK, problems};
    use crate::kernel::arguments::argument_schema::ArgumentSchema;
    use serde_json::{Value, json};

    fn found(schema: &Value, args: &Value) -> String {
        let found = problems(&ArgumentSchema::new(schema), &args.to_string());
        found.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; ")
    }

    fn object(properties: Value, required: &[&str]) -> Value {
        json!({ "type": "object", "properties": properties, "required": required })
    }

    #[test]
    fn problems_name_the_field_and_the_expected_value() {
        let text = json!({ "type": "string" });
        let schema = object(json!({ "at": text, "of": { "type": "array", "items": { "type": "number" } } }), &["of"]);
        for (args, expected) in [
            (json!({ "of": [1, 2.5] }), ""),
            (json!({}), "\"of\" is missing: give a list"),
            (json!(5), "the value is not valid: give an object, not 5"),
            (json!({ "of": 5 }), "\"of\" is not valid: give a list, not 5"),
            (json!({ "of": [1, "two"] }), "\"of.1\" is not valid: give a number, not the text \"two\""),
            (json!({ "of": [], "at": true }), "\"at\" is not valid: give a text, not true or false"),
            (json!({ "of": [], "off": 1 }), "\"off\" is not known, did you mean \"of\"?"),
            (json!({ "of": [], "currency": 1 }), "\"currency\" is not known here (known: at, of)"),
        ] {
            assert_eq!(found(&schema, &args), expected, "{args}");
        }
    }

    #[test]
    fn names_are_those_of_all_alternatives_and_an_index_signature_allows_any() {
        let kind = |name: &str| json!({ "const": name });
        let number = json!({ "type": "number" });
        let circle = object(json!({ "kind": kind("circle"), "r": number }), &["kind", "r"]);
        let square = object(json!({ "kind": kind("square"), "side": number }), &["kind", "side"]);
        let shape = json!({ "anyOf": [circle, square, { "type": "string" }] });
        for (args, expected) in [
            (json!({ "kind": "circle", "r": 1 }), ""),
            (json!("circle"), ""),
            (json!({ "kind": "square", "side": 1, "r": 1 }), ""),
            (json!({ "kind": "circle" }), "\"r\" is missing: give a number"),
            (json!({ "kind": "circle", "r": 1, "sides": 4 }), "\"sides\" is not known, did you mean \"side\"?"),
            (json!(5), "the value is not valid: give an object or a text, not 5"),
        ] {
            assert_eq!(found(&shape, &args), expected, "{args}");
        }
        let open =
            json!({ "type": "object", "properties": { "a": number }, "additionalProperties": { "type": "string" } });
        assert_eq!(found(&open, &json!({ "a": 1, "b": "x" })), "");
        assert_eq!(found(&open, &json!({ "b": 1 })), "\"b\" is not valid: give a text, not 1");
        assert_eq!(found(&json!({}), &json!({ "b": 1 })), "", "an unknown type");
        assert_eq!(found(&object(json!({}), &[]), &json!({ "b": 1 })), "", "no type");
    }

    #[test]
    fn inferred_names_accept_other_values_but_no_misspellings() {
        let schema = object(json!({ "length": {} }), &[]);
        assert_eq!(found(&schema, &json!([1])), "");
        assert_eq!(found(&schema, &json!({ "length": 1, "email": 2 })), "");
        assert_eq!(found(&schema, &json!({ "lenght": 1 })), "\"lenght\" is not known, did you mean \"length\"?");
    }

    #[test]
    fn tuples_enumerations_and_whole_numbers() {
        let pair =
            json!({ "type": "array", "prefixItems": [{ "type": "number" }, { "type": "string" }], "minItems": 1 });
        assert_eq!(found(&pair, &json!([1])), "");
        assert_eq!(found(&pair, &json!([])), "\"0\" is missing: give a number");
        assert_eq!(found(&pair, &json!([1, 2])), "\"1\" is not valid: give a text, not 2");
        assert_eq!(found(&pair, &json!([1, "a", 3])), "the list is too long: give at most 2 items");
        let open = json!({ "type": "array", "prefixItems": [{ "type": "number" }], "items": { "type": "string" } });
        assert_eq!(found(&open, &json!([1, "a", "b"])), "");
        assert_eq!(found(&open, &json!([1, "a", 3])), "\"2\" is not valid: give a text, not 3");
        let days = json!({ "enum": ["Mon", "Tue", 3] });
        assert_eq!(found(&days, &json!("Tue")) + &found(&days, &json!(3.0)), "");
        assert_eq!(found(&days, &json!("x".repeat(100))), "the value is not valid: give one of \"Mon\", \"Tue\", 3");
        assert_eq!(found(&json!({ "type": "integer" }), &json!(2)), "");
        assert_eq!(
            found(&json!({ "type": "integer" }), &json!(2.5)),
            "the value is not valid: give a whole number, not 2.5"
        );
    }

    #[test]
    fn deep_wide_and_ambiguous_values_are_checked_within_a_budget() {
        let mut schema = json!({ "type": "number" });
        for _ in 0..12 {
            let one = object(json!({ "a": schema }), &["a"]);
            schema = json!({ "anyOf": [one, { "type": "object", "properties": { "b": { "type": "null" } }, "required": ["b"] }] });
        }
        let mut args = json!("wrong");
        for _ in 0..12 {
            args = json!({ "a": args });
        }
        assert!(!found(&schema, &args).is_empty());
        let names: Vec<String> = (0..250).map(|at| format!("k{at}")).collect();
        let alternatives: Vec<Value> =
            names.iter().map(|name| object(json!({ name.as_str(): { "const": 1 } }), &[name.as_str()])).collect();
        let union = json!({ "type": "array", "items": { "anyOf": alternatives } });
        let last = [json!({ "k249": 1 })];
        let work = |count: usize| {
            let args = Value::Array(last.iter().cycle().take(count).cloned().collect()).to_string();
            let mut check = Check::of(&args);
            let before = check.left;
            check.value(&ArgumentSchema::new(&union), &args, &Place::Root, Names::Checked);
            (before - check.left, args.len())
        };
        let (spent, bytes) = work(50_000);
        assert!(spent <= bytes * READS + LEAST_WORK, "{spent} for {bytes}");
        assert_eq!(work(10).0 / VALUE_WORK / 2500, 1, "each alternative counts");
        let deep = format!("{}1{}", "[".repeat(5_000), "]".repeat(5_000));
        assert!(problems(&ArgumentSchema::new(&json!({ "type": "array" })), &deep).is_empty());
        let long = "x".repeat(10_000);
        let many: serde_json::Map<String, Value> = (0..100).map(|at| (format!("{long}{at}"), json!(1))).collect();
        assert!(found(&object(json!({ "a": {} }), &[]), &Value::Object(many)).len() < 10_000);
    }
}
