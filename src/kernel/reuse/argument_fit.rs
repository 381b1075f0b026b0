//! The arguments of one tool as another would take them: under other names, and in another shape.

use super::signature::{Place, kind, places, properties};
use serde_json::{Map, Value};

/// Ways that are tried, and steps on the way to them.
const MAX_WAYS: usize = 48;
const MAX_STEPS: usize = 4000;
/// Values that are held against schemas, and columns that are noted on the way.
const MAX_EFFORT: usize = 200_000;
/// Columns of rows, and bytes of a name: what has more is not tried out.
const MAX_COLUMNS: usize = 32;
const MAX_NAME_BYTES: usize = 200;

/// Where each value goes. The same way is used for all arguments of a tool.
#[derive(Debug, Clone, PartialEq)]
pub struct Way(Vec<Move>);

#[derive(Debug, Clone, PartialEq)]
struct Move {
    from: Vec<String>,
    to: Vec<String>,
    /// For rows: the keys of the other tool's rows, and the keys that they have here.
    columns: Vec<(String, String)>,
}

/// The ways in which values that fit `from` could be given to a tool that takes `to`, the likeliest first; `example` has
/// such values. None when the two take different kinds of things.
pub fn ways(from: &Value, to: &Value, example: &Value) -> Vec<Way> {
    let (Some(sources), Some(targets)) = (places(from), places(to)) else { return Vec::new() };
    let is_named = |place: &Place<'_>| place.keys.iter().all(|key| key.len() <= MAX_NAME_BYTES);
    if !sources.iter().chain(&targets).all(is_named) {
        return Vec::new();
    }
    let given: Vec<Given<'_>> =
        sources.iter().filter_map(|place| at(example, &place.keys).map(|value| Given { place, value })).collect();
    let mut effort = Effort(MAX_EFFORT);
    let choices: Vec<Vec<Choice<'_>>> = targets.iter().map(|target| choices(&given, target, &mut effort)).collect();
    let mut search = Search { given: &given, targets: &targets, choices: &choices, ways: Vec::new(), steps: 0 };
    search.go_on(&mut Vec::new(), &mut vec![false; given.len()]);
    let mut ways = search.ways;
    ways.sort_by_key(|(strange, _)| *strange);
    ways.into_iter().map(|(_, way)| way).collect()
}

impl Way {
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

/// A value that there is, and its place.
struct Given<'g> {
    place: &'g Place<'g>,
    value: &'g Value,
}

/// The keys of the other tool's rows, and the keys that they have here.
type Columns<'c> = Vec<(&'c str, &'c str)>;

/// A value that could go to a place.
struct Choice<'c> {
    /// Which one is given.
    given: usize,
    is_renamed: bool,
    readings: Vec<Columns<'c>>,
}

/// The values that could go to a place, those of its name first.
fn choices<'c>(given: &[Given<'c>], target: &Place<'c>, effort: &mut Effort) -> Vec<Choice<'c>> {
    let mut choices: Vec<Choice<'c>> = Vec::new();
    for (at, given) in given.iter().enumerate() {
        let is_renamed = !is_same(given.place.name(), target.name());
        choices.push(Choice { given: at, is_renamed, readings: fits(given.value, target.schema, effort) });
    }
    choices.sort_by_key(|choice| choice.is_renamed);
    choices
}

struct Search<'g> {
    given: &'g [Given<'g>],
    targets: &'g [Place<'g>],
    /// For each place.
    choices: &'g [Vec<Choice<'g>>],
    /// With the number of values that change their names.
    ways: Vec<(usize, Way)>,
    steps: usize,
}

/// What is put into a place; nothing into one that is left out.
type Put<'g> = Option<(&'g Choice<'g>, &'g Columns<'g>)>;

impl<'g> Search<'g> {
    /// Fills the next place in every way that its kind allows.
    fn go_on(&mut self, puts: &mut Vec<Put<'g>>, used: &mut [bool]) {
        self.steps += 1;
        if self.ways.len() >= MAX_WAYS || self.steps > MAX_STEPS {
            return;
        }
        let (Some(target), Some(choices)) = (self.targets.get(puts.len()), self.choices.get(puts.len())) else {
            let left_out = self.given.iter().zip(used.iter()).any(|(given, used)| !used && given.place.is_required);
            if !left_out {
                let strange = puts.iter().flatten().filter(|(choice, _)| choice.is_renamed).count();
                let way = self.way(puts);
                self.ways.push((strange, way));
            }
            return;
        };
        for choice in choices {
            if used.get(choice.given).is_none_or(|used| *used) {
                continue;
            }
            for columns in &choice.readings {
                mark(used, choice.given, true);
                puts.push(Some((choice, columns)));
                self.go_on(puts, used);
                puts.pop();
                mark(used, choice.given, false);
            }
        }
        if !target.is_required {
            puts.push(None);
            self.go_on(puts, used);
            puts.pop();
        }
    }

    fn way(&self, puts: &[Put<'g>]) -> Way {
        let moved = puts.iter().zip(self.targets).filter_map(|(put, target)| {
            let (choice, columns) = (*put)?;
            let columns = columns.iter().map(|(name, key)| ((*name).to_owned(), (*key).to_owned())).collect();
            let from = owned(&self.given.get(choice.given)?.place.keys);
            Some(Move { from, to: owned(&target.keys), columns })
        });
        Way(moved.collect())
    }
}

fn mark(used: &mut [bool], at: usize, value: bool) {
    if let Some(used) = used.get_mut(at) {
        *used = value;
    }
}

/// How much may still be looked at.
struct Effort(usize);

impl Effort {
    /// Whether there was enough left for this.
    fn spend(&mut self, steps: usize) -> bool {
        let left = self.0.checked_sub(steps);
        self.0 = left.unwrap_or_default();
        left.is_some()
    }
}

/// The ways in which a value is one that the schema describes: none, or one for each reading of the columns of rows.
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
    // Columns are looked at for themselves.
    properties(items_schema).is_some()
        || items.first().is_none_or(|first| !fits(first, items_schema, effort).is_empty())
}

/// The readings of a row's columns: by name where all are there, else by kind.
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
                if longer.len() == MAX_WAYS || !effort.spend(reading.len() + 1) {
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

/// Whether two short names are one, however they are spelt: `netPrice` and `net_price`.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::{Effort, fits, ways};
    use serde_json::{Map, Value, json};

    fn object(properties: Value, required: &[&str]) -> Value {
        json!({ "type": "object", "properties": properties, "required": required })
    }

    fn given(from: &Value, to: &Value, args: &Value) -> Vec<Value> {
        ways(from, to, args).iter().filter_map(|way| way.apply(args)).collect()
    }

    #[test]
    fn values_go_where_their_kind_fits_and_names_that_agree_come_first() {
        let number = json!({ "type": "number" });
        let from =
            object(json!({ "net": number, "rate": number, "name": { "type": "string" } }), &["net", "rate", "name"]);
        let to = object(
            json!({ "label": { "type": "string" }, "price": number, "rate": number }),
            &["label", "price", "rate"],
        );
        let found = given(&from, &to, &json!({ "net": 100, "rate": 0.2, "name": "x" }));
        assert_eq!(
            found,
            [json!({ "label": "x", "price": 100, "rate": 0.2 }), json!({ "label": "x", "price": 0.2, "rate": 100 })]
        );
    }

    #[test]
    fn shapes_and_columns_are_followed() {
        let number = json!({ "type": "number" });
        let rows = |one: &str, other: &str| json!({ "type": "array", "items": object(json!({ one: number, other: { "type": "string" } }), &[one, other]) });
        let from = object(json!({ "lines": rows("price", "sku"), "low": number }), &["lines", "low"]);
        let to = object(
            json!({ "options": object(json!({ "items": rows("cost", "id"), "least": number }), &["items", "least"]) }),
            &["options"],
        );
        let found =
            given(&from, &to, &json!({ "lines": [{ "price": 1, "sku": "a" }, { "price": 2, "sku": "b" }], "low": 3 }));
        assert_eq!(
            found,
            [json!({ "options": { "items": [{ "cost": 1, "id": "a" }, { "cost": 2, "id": "b" }], "least": 3 } })]
        );
    }

    #[test]
    fn what_takes_other_kinds_of_things_or_fewer_of_them_has_no_way() {
        let number = json!({ "type": "number" });
        let two = object(json!({ "a": number, "b": number }), &["a", "b"]);
        let one = object(json!({ "a": number }), &["a"]);
        let texts = object(json!({ "a": { "type": "string" }, "b": { "type": "string" } }), &["a", "b"]);
        let args = json!({ "a": 1, "b": 2 });
        assert!(given(&two, &one, &args).is_empty());
        assert!(given(&two, &texts, &args).is_empty());
        assert!(given(&one, &two, &json!({ "a": 1 })).is_empty());
        let many: serde_json::Map<String, Value> = (0..12).map(|at| (format!("p{at}"), number.clone())).collect();
        let args: serde_json::Map<String, Value> = (0..12).map(|at| (format!("p{at}"), json!(at))).collect();
        let wide = object(Value::Object(many), &[]);
        assert!(given(&wide, &wide, &Value::Object(args)).len() <= 48);
    }

    #[test]
    fn wide_rows_and_long_names_are_not_tried_out() {
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
        assert!(given(&table("a", 400, 12), &table("b", 400, 12), &values("a", 400, 12)).is_empty());
        let found = given(&table("a", 30, 2), &table("b", 30, 2), &values("a", 30, 2));
        assert!(!found.is_empty() && found.len() <= 48);
        let long = "x".repeat(100_000);
        let named = object(json!({ (long.clone()): number }), &[long.as_str()]);
        assert!(given(&named, &named, &json!({ (long): 1 })).is_empty());
    }

    #[test]
    fn rows_in_rows_and_long_lists_of_options_have_one_effort() {
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
        assert_eq!(effort.0, 0, "more options than may be looked at");
        let both = object(json!({ "rows": schema, "a": choice, "b": choice, "c": choice }), &[]);
        let args = json!({ "rows": value, "a": "option 49999", "b": "none", "c": "none" });
        assert!(given(&both, &both, &args).len() <= 48);
    }
}
