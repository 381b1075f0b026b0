//! Mappings of one tool's arguments to another's: other names, other structure.

use super::signature::{Place, kind, places, properties};
use serde_json::{Map, Value};

/// Most mappings, and most search steps.
const MAX_MAPPINGS: usize = 48;
const MAX_STEPS: usize = 4000;
/// Work budget: values compared with schemas, and recorded columns.
const MAX_EFFORT: usize = 200_000;
/// Most columns of rows, and longest name; larger inputs are not compared.
const MAX_COLUMNS: usize = 32;
const MAX_NAME_BYTES: usize = 200;

/// An argument mapping: where each value goes.
#[derive(Debug, Clone, PartialEq)]
pub struct Mapping(Vec<Move>);

#[derive(Debug, Clone, PartialEq)]
struct Move {
    from: Vec<String>,
    to: Vec<String>,
    /// For rows: the key in the other tool's rows, and the key here.
    columns: Vec<(String, String)>,
}

/// The mappings from arguments of schema `from`, such as `example`, to schema `to`, the likeliest first. Empty when the
/// schemas have different kinds of values.
pub fn mappings(from: &Value, to: &Value, example: &Value) -> Vec<Mapping> {
    let (Some(sources), Some(targets)) = (places(from), places(to)) else { return Vec::new() };
    let is_named = |place: &Place<'_>| place.keys.iter().all(|key| key.len() <= MAX_NAME_BYTES);
    if !sources.iter().chain(&targets).all(is_named) {
        return Vec::new();
    }
    let values: Vec<SourceValue<'_>> =
        sources.iter().filter_map(|place| at(example, &place.keys).map(|value| SourceValue { place, value })).collect();
    let mut effort = Effort(MAX_EFFORT);
    let choices: Vec<Vec<Choice<'_>>> = targets.iter().map(|target| choices(&values, target, &mut effort)).collect();
    let mut search = Search { values: &values, targets: &targets, choices: &choices, mappings: Vec::new(), steps: 0 };
    search.go_on(&mut Vec::new(), &mut vec![false; values.len()]);
    let mut mappings = search.mappings;
    mappings.sort_by_key(|(renamed_count, _)| *renamed_count);
    mappings.into_iter().map(|(_, mapping)| mapping).collect()
}

impl Mapping {
    /// The arguments for the other tool; none when a value is missing.
    pub fn apply(&self, args: &Value) -> Option<Value> {
        let mut made = Map::new();
        for Move { from, to, columns } in &self.0 {
            let keys: Vec<&str> = from.iter().map(String::as_str).collect();
            let Some(value) = at(args, &keys) else { continue };
            put(&mut made, to, renamed(value, columns)?);
        }
        Some(Value::Object(made))
    }
}

/// A value of the example, and its place.
struct SourceValue<'g> {
    place: &'g Place<'g>,
    value: &'g Value,
}

/// The keys in the other tool's rows, and the keys here.
type Columns<'c> = Vec<(&'c str, &'c str)>;

/// A candidate value for a place.
struct Choice<'c> {
    /// Index of the value.
    value: usize,
    is_renamed: bool,
    readings: Vec<Columns<'c>>,
}

/// The candidate values for a place, those with its name first.
fn choices<'c>(values: &[SourceValue<'c>], target: &Place<'c>, effort: &mut Effort) -> Vec<Choice<'c>> {
    let mut choices: Vec<Choice<'c>> = Vec::new();
    for (at, source) in values.iter().enumerate() {
        let is_renamed = !is_same(source.place.name(), target.name());
        choices.push(Choice { value: at, is_renamed, readings: fits(source.value, target.schema, effort) });
    }
    choices.sort_by_key(|choice| choice.is_renamed);
    choices
}

struct Search<'g> {
    values: &'g [SourceValue<'g>],
    targets: &'g [Place<'g>],
    /// For each place.
    choices: &'g [Vec<Choice<'g>>],
    /// With the number of renamed values.
    mappings: Vec<(usize, Mapping)>,
    steps: usize,
}

/// The assignment of a place; none if it is left out.
type Put<'g> = Option<(&'g Choice<'g>, &'g Columns<'g>)>;

impl<'g> Search<'g> {
    /// Assigns every candidate to the next place, recursively.
    fn go_on(&mut self, puts: &mut Vec<Put<'g>>, used: &mut [bool]) {
        self.steps += 1;
        if self.mappings.len() >= MAX_MAPPINGS || self.steps > MAX_STEPS {
            return;
        }
        let (Some(target), Some(choices)) = (self.targets.get(puts.len()), self.choices.get(puts.len())) else {
            let left_out = self.values.iter().zip(used.iter()).any(|(value, used)| !used && value.place.is_required);
            if !left_out {
                let renamed_count = puts.iter().flatten().filter(|(choice, _)| choice.is_renamed).count();
                let mapping = self.mapping(puts);
                self.mappings.push((renamed_count, mapping));
            }
            return;
        };
        for choice in choices {
            if used.get(choice.value).is_none_or(|used| *used) {
                continue;
            }
            for columns in &choice.readings {
                mark(used, choice.value, true);
                puts.push(Some((choice, columns)));
                self.go_on(puts, used);
                puts.pop();
                mark(used, choice.value, false);
            }
        }
        if !target.is_required {
            puts.push(None);
            self.go_on(puts, used);
            puts.pop();
        }
    }

    fn mapping(&self, puts: &[Put<'g>]) -> Mapping {
        let moved = puts.iter().zip(self.targets).filter_map(|(put, target)| {
            let (choice, columns) = (*put)?;
            let columns = columns.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect();
            let from = owned(&self.values.get(choice.value)?.place.keys);
            Some(Move { from, to: owned(&target.keys), columns })
        });
        Mapping(moved.collect())
    }
}

fn mark(used: &mut [bool], at: usize, value: bool) {
    if let Some(used) = used.get_mut(at) {
        *used = value;
    }
}

/// The remaining work budget.
struct Effort(usize);

impl Effort {
    /// Spends steps; false when there are not enough left.
    fn spend(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or_default();
        left.is_some()
    }
}

/// The readings of a value under a schema: none if it does not match, else one for each assignment of row columns.
fn fits<'c>(value: &'c Value, schema: &'c Value, effort: &mut Effort) -> Vec<Columns<'c>> {
    let options = schema.get("enum").and_then(Value::as_array);
    if !effort.spend(1 + options.map_or(0, Vec::len)) {
        return Vec::new();
    }
    let is_kind = match (kind(schema).as_str(), value) {
        ("", _) | ("number", Value::Number(_)) | ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => true,
        ("object", Value::Object(_)) | ("null", Value::Null) => true,
        (kind, Value::Array(items)) => kind.starts_with("array") && items_fit(items, schema, effort),
        _ => false,
    };
    if !is_kind || options.is_some_and(|options| !options.contains(value)) {
        return Vec::new();
    }
    let rows = schema.get("items").and_then(properties);
    let first = value.as_array().and_then(|items| items.first()).and_then(Value::as_object);
    match (rows, first) {
        (Some(wanted), Some(row)) => columns(wanted, row, effort),
        _ => vec![Vec::new()],
    }
}

fn items_fit(items: &[Value], schema: &Value, effort: &mut Effort) -> bool {
    let Some(items_schema) = schema.get("items") else { return true };
    // Rows are matched by their columns.
    properties(items_schema).is_some()
        || items.first().is_none_or(|first| !fits(first, items_schema, effort).is_empty())
}

/// The assignments of a row's columns: by name if all exist, else by kind.
fn columns<'c>(wanted: &'c Map<String, Value>, row: &'c Map<String, Value>, effort: &mut Effort) -> Vec<Columns<'c>> {
    if wanted.keys().all(|name| row.contains_key(name)) {
        return vec![Vec::new()];
    }
    let has_long_name = wanted.keys().chain(row.keys()).any(|name| name.len() > MAX_NAME_BYTES);
    if wanted.len().max(row.len()) > MAX_COLUMNS || has_long_name {
        return Vec::new();
    }
    let mut readings: Vec<Columns<'c>> = vec![Vec::new()];
    for (name, schema) in wanted {
        let fitting: Vec<&str> = row
            .iter()
            .filter(|(_, value)| !fits(value, schema, effort).is_empty())
            .map(|(key, _)| key.as_str())
            .collect();
        let mut longer = Vec::new();
        for reading in &readings {
            for key in fitting.iter().filter(|key| reading.iter().all(|(_, taken)| taken != *key)) {
                if longer.len() == MAX_MAPPINGS || !effort.spend(reading.len() + 1) {
                    break;
                }
                longer.push(reading.iter().copied().chain([(name.as_str(), *key)]).collect());
            }
        }
        readings = longer;
    }
    readings
}

fn renamed(value: &Value, columns: &[(String, String)]) -> Option<Value> {
    if columns.is_empty() {
        return Some(value.clone());
    }
    let row = |row: &Value| {
        let pairs = columns.iter().map(|(name, key)| Some((name.clone(), row.get(key)?.clone())));
        pairs.collect::<Option<Map<_, _>>>().map(Value::Object)
    };
    value.as_array()?.iter().map(row).collect::<Option<Vec<_>>>().map(Value::Array)
}

fn at<'v>(value: &'v Value, keys: &[&str]) -> Option<&'v Value> {
    keys.iter().try_fold(value, |value, key| value.get(key))
}

fn put(made: &mut Map<String, Value>, keys: &[String], value: Value) {
    let [key, rest @ ..] = keys else { return };
    if rest.is_empty() {
        made.insert(key.clone(), value);
    } else if let Value::Object(inner) = made.entry(key.clone()).or_insert_with(|| Value::Object(Map::new())) {
        put(inner, rest, value);
    }
}

fn owned(keys: &[&str]) -> Vec<String> {
    keys.iter().map(|key| (*key).to_owned()).collect()
}

/// Whether two names are equal apart from case and separators: `netPrice` and `net_price`.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::{Effort, fits, mappings};
    use serde_json::{Map, Value, json};

    fn object(properties: Value, required: &[&str]) -> Value {
        json!({ "type": "object", "properties": properties, "required": required })
    }

    fn mapped(from: &Value, to: &Value, args: &Value) -> Vec<Value> {
        mappings(from, to, args).iter().filter_map(|mapping| mapping.apply(args)).collect()
    }

    #[test]
    fn values_are_mapped_by_kind_with_equal_names_first() {
        let number = json!({ "type": "number" });
        let from =
            object(json!({ "net": number, "rate": number, "name": { "type": "string" } }), &["net", "rate", "name"]);
        let to = object(
            json!({ "label": { "type": "string" }, "price": number, "rate": number }),
            &["label", "price", "rate"],
        );
        let found = mapped(&from, &to, &json!({ "net": 100, "rate": 0.2, "name": "x" }));
        assert_eq!(
            found,
            [json!({ "label": "x", "price": 100, "rate": 0.2 }), json!({ "label": "x", "price": 0.2, "rate": 100 })]
        );
    }

    #[test]
    fn nested_objects_and_columns_are_mapped() {
        let number = json!({ "type": "number" });
        let rows = |one: &str, other: &str| json!({ "type": "array", "items": object(json!({ one: number, other: { "type": "string" } }), &[one, other]) });
        let from = object(json!({ "lines": rows("price", "sku"), "low": number }), &["lines", "low"]);
        let to = object(
            json!({ "options": object(json!({ "items": rows("cost", "id"), "least": number }), &["items", "least"]) }),
            &["options"],
        );
        let found =
            mapped(&from, &to, &json!({ "lines": [{ "price": 1, "sku": "a" }, { "price": 2, "sku": "b" }], "low": 3 }));
        assert_eq!(
            found,
            [json!({ "options": { "items": [{ "cost": 1, "id": "a" }, { "cost": 2, "id": "b" }], "least": 3 } })]
        );
    }

    #[test]
    fn other_kinds_or_fewer_values_have_no_mapping() {
        let number = json!({ "type": "number" });
        let two = object(json!({ "a": number, "b": number }), &["a", "b"]);
        let one = object(json!({ "a": number }), &["a"]);
        let texts = object(json!({ "a": { "type": "string" }, "b": { "type": "string" } }), &["a", "b"]);
        let args = json!({ "a": 1, "b": 2 });
        assert!(mapped(&two, &one, &args).is_empty());
        assert!(mapped(&two, &texts, &args).is_empty());
        assert!(mapped(&one, &two, &json!({ "a": 1 })).is_empty());
        let many: serde_json::Map<String, Value> = (0..12).map(|at| (format!("p{at}"), number.clone())).collect();
        let args: serde_json::Map<String, Value> = (0..12).map(|at| (format!("p{at}"), json!(at))).collect();
        let wide = object(Value::Object(many), &[]);
        assert!(mapped(&wide, &wide, &Value::Object(args)).len() <= 48);
    }

    #[test]
    fn wide_rows_and_long_names_are_not_compared() {
        let number = json!({ "type": "number" });
        let table = |letter: &str, columns: usize, copies: usize| {
            let row: Map<String, Value> = (0..columns).map(|at| (format!("{letter}{at}"), number.clone())).collect();
            let rows = json!({ "type": "array", "items": object(Value::Object(row), &[]) });
            let names: Vec<String> = (0..copies).map(|at| format!("{letter}{at}")).collect();
            let required: Vec<&str> = names.iter().map(String::as_str).collect();
            object(Value::Object(names.iter().map(|name| (name.clone(), rows.clone())).collect()), &required)
        };
        let values = |letter: &str, columns: usize, copies: usize| {
            let row: Map<String, Value> = (0..columns).map(|at| (format!("{letter}{at}"), json!(at))).collect();
            Value::Object((0..copies).map(|at| (format!("{letter}{at}"), json!([row.clone()]))).collect())
        };
        assert!(mapped(&table("a", 400, 12), &table("b", 400, 12), &values("a", 400, 12)).is_empty());
        let found = mapped(&table("a", 30, 2), &table("b", 30, 2), &values("a", 30, 2));
        assert!(!found.is_empty() && found.len() <= 48);
        let long = "x".repeat(100_000);
        let named = object(json!({ (long.clone()): number }), &[long.as_str()]);
        assert!(mapped(&named, &named, &json!({ (long): 1 })).is_empty());
    }

    #[test]
    fn nested_rows_and_long_enums_share_one_budget() {
        let mut schema = json!({ "type": "number" });
        let mut value = json!(1);
        for level in 0..20 {
            let columns: Map<String, Value> = (0..2).map(|at| (format!("a{level}_{at}"), schema.clone())).collect();
            schema = json!({ "type": "array", "items": object(Value::Object(columns), &[]) });
            value = json!([{ "x": value.clone(), "y": value }]);
            if value.to_string().len() > 200_000 {
                break;
            }
        }
        let options: Vec<Value> = (0..50_000).map(|at| json!(format!("option {at}"))).collect();
        let choice = json!({ "type": "string", "enum": options });
        let mut effort = Effort(1_000);
        assert!(fits(&json!("option 7"), &choice, &mut effort).is_empty());
        assert_eq!(effort.0, 0, "more options than the budget allows");
        let both = object(json!({ "rows": schema, "a": choice, "b": choice, "c": choice }), &[]);
        let args = json!({ "rows": value, "a": "option 49999", "b": "none", "c": "none" });
        assert!(mapped(&both, &both, &args).len() <= 48);
    }
}
