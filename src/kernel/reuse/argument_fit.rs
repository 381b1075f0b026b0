//! The arguments of one tool as another would take them: under other names, and in another shape.

use super::signature::{Place, kind, places, properties};
use serde_json::{Map, Value};

/// Ways that are tried, and steps on the way to them.
const MAX_WAYS: usize = 48;
const MAX_STEPS: usize = 4000;

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
    let given: Vec<Given<'_>> =
        sources.iter().filter_map(|place| at(example, &place.keys).map(|value| Given { place, value })).collect();
    let mut search = Search { given: &given, targets: &targets, ways: Vec::new(), steps: 0 };
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

struct Search<'g> {
    given: &'g [Given<'g>],
    targets: &'g [Place<'g>],
    /// With the number of values that change their names.
    ways: Vec<(usize, Way)>,
    steps: usize,
}

impl Search<'_> {
    /// Fills the next place in every way that its kind allows.
    fn go_on(&mut self, moves: &mut Vec<(usize, Move)>, used: &mut [bool]) {
        self.steps += 1;
        if self.ways.len() >= MAX_WAYS || self.steps > MAX_STEPS {
            return;
        }
        let at = moves.len();
        let Some(target) = self.targets.get(at) else {
            let left_out = self.given.iter().zip(used.iter()).any(|(given, used)| !used && given.place.is_required);
            if !left_out {
                let strange = moves.iter().map(|(strange, _)| strange).sum();
                let made = moves.iter().map(|(_, made)| made.clone()).filter(|made| !made.from.is_empty()).collect();
                self.ways.push((strange, Way(made)));
            }
            return;
        };
        let mut choices: Vec<usize> = (0..self.given.len()).collect();
        choices.sort_by_key(|choice| {
            self.given.get(*choice).is_none_or(|given| !is_same(given.place.name(), target.name()))
        });
        for choice in choices {
            let (Some(given), Some(false)) = (self.given.get(choice), used.get(choice).copied()) else { continue };
            for columns in fits(given.value, target.schema) {
                if let Some(used) = used.get_mut(choice) {
                    *used = true;
                }
                let strange = usize::from(!is_same(given.place.name(), target.name()));
                moves.push((strange, Move { from: owned(&given.place.keys), to: owned(&target.keys), columns }));
                self.go_on(moves, used);
                moves.pop();
                if let Some(used) = used.get_mut(choice) {
                    *used = false;
                }
            }
        }
        if !target.is_required {
            moves.push((0, Move { from: Vec::new(), to: Vec::new(), columns: Vec::new() }));
            self.go_on(moves, used);
            moves.pop();
        }
    }
}

/// The ways in which a value is one that the schema describes: none, or one for each reading of the columns of rows.
fn fits(value: &Value, schema: &Value) -> Vec<Vec<(String, String)>> {
    let is_kind = match (kind(schema).as_str(), value) {
        ("", _) | ("number", Value::Number(_)) | ("string", Value::String(_)) | ("boolean", Value::Bool(_)) => true,
        ("object", Value::Object(_)) | ("null", Value::Null) => true,
        (kind, Value::Array(items)) => kind.starts_with("array") && items_fit(items, schema),
        _ => false,
    };
    let options = schema.get("enum").and_then(Value::as_array);
    if !is_kind || options.is_some_and(|options| !options.contains(value)) {
        return Vec::new();
    }
    let rows = schema.get("items").and_then(properties);
    let first = value.as_array().and_then(|items| items.first()).and_then(Value::as_object);
    match (rows, first) {
        (Some(wanted), Some(row)) => columns(wanted, row),
        _ => vec![Vec::new()],
    }
}

fn items_fit(items: &[Value], schema: &Value) -> bool {
    let Some(items_schema) = schema.get("items") else { return true };
    // Columns are looked at for themselves.
    properties(items_schema).is_some() || items.first().is_none_or(|first| !fits(first, items_schema).is_empty())
}

/// The readings of a row's columns: by name where all are there, else by kind.
fn columns(wanted: &Map<String, Value>, row: &Map<String, Value>) -> Vec<Vec<(String, String)>> {
    if wanted.keys().all(|name| row.contains_key(name)) {
        return vec![Vec::new()];
    }
    let mut readings: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for (name, schema) in wanted {
        let mut longer = Vec::new();
        for reading in &readings {
            let is_free = |key: &str| reading.iter().all(|(_, taken)| taken != key);
            for (key, _) in row.iter().filter(|(key, value)| is_free(key) && !fits(value, schema).is_empty()) {
                longer.push(reading.iter().cloned().chain([(name.clone(), key.clone())]).collect());
            }
        }
        readings = longer;
        readings.truncate(MAX_WAYS);
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

/// Whether two names are one, however they are spelt: `netPrice` and `net_price`.
fn is_same(one: &str, other: &str) -> bool {
    let plain = |name: &str| {
        name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>()
    };
    plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::ways;
    use serde_json::{Value, json};

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
}
