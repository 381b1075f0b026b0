//! Comparison of two results by values, regardless of keys.

use serde_json::Value;

/// Relative tolerance for floating-point rounding.
const TOLERANCE: f64 = 1e-9;
/// Most compared values and keys.
const MAX_VALUES: usize = 20_000;

/// Whether two results have the same values: arrays in order, objects under any keys.
pub fn is_same(one: &Value, other: &Value) -> bool {
    let mut steps = MAX_VALUES;
    same(one, other, &mut steps)
}

fn same(one: &Value, other: &Value, steps: &mut usize) -> bool {
    let Some(left) = steps.checked_sub(1) else { return false };
    *steps = left;
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => match (one.as_f64(), other.as_f64()) {
            (Some(one), Some(other)) => (one - other).abs() <= TOLERANCE * one.abs().max(other.abs()).max(1.0),
            _ => one == other,
        },
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other, steps))
        }
        (Value::Object(one), Value::Object(other)) => {
            if one.len() != other.len() {
                return false;
            }
            let Some(left) = steps.checked_sub(one.len()) else { return false };
            *steps = left;
            let has_all = one.keys().all(|key| other.contains_key(key));
            if has_all {
                return one.iter().all(|(key, value)| other.get(key).is_some_and(|other| same(value, other, steps)));
            }
            let mut left: Vec<&Value> = other.values().collect();
            one.values().all(|value| {
                let at = left.iter().position(|other| same(value, other, steps));
                at.map(|at| left.swap_remove(at)).is_some()
            })
        }
        _ => one == other,
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_VALUES, is_same, same};
    use serde_json::{Value, json};

    #[test]
    fn values_are_compared_and_keys_are_ignored() {
        assert!(is_same(&json!({ "a": 1, "b": "x" }), &json!({ "sum": 1, "text": "x" })));
        assert!(is_same(&json!([0.1 + 0.2, null]), &json!([0.3, null])));
        for (one, other) in [
            (json!({ "a": 1, "b": 2 }), json!({ "b": 1, "a": 2 })),
            (json!([1, 2]), json!([2, 1])),
            (json!(1), json!("1")),
            (json!({ "a": 1 }), json!({ "b": 1, "c": 1 })),
            (json!(100.0), json!(100.1)),
        ] {
            assert!(!is_same(&one, &other), "{one} {other}");
        }
    }

    #[test]
    fn comparing_objects_with_other_keys_is_bounded() {
        // Every value is compared with all others, by all its keys.
        let wide = |letter: &str, value: usize| {
            let inner: serde_json::Map<String, Value> = (0..2_000).map(|key| (key.to_string(), json!(value))).collect();
            let outer = (0..200).map(|at| (format!("{letter}{at}"), Value::Object(inner.clone())));
            Value::Object(outer.collect())
        };
        let mut steps = MAX_VALUES;
        assert!(!same(&wide("a", 1), &wide("b", 2), &mut steps));
        assert!(steps < 2_002, "the budget was spent: {steps} are left");
    }

    #[test]
    fn results_too_long_to_compare_are_different() {
        let long = Value::Array(vec![json!(1); 20_000]);
        assert!(!is_same(&long, &long));
    }
}
