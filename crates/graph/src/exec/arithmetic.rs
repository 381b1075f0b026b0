//! Operators on numbers, and `+` on texts and lists.

use super::meter::Meter;
use super::value::Value;
use crate::cypher::ast::Operator;
use crate::graph_error::GraphError;
use std::rc::Rc;

/// The result, or what is wrong.
pub fn arithmetic(
    operator: Operator,
    left: &Value,
    right: &Value,
    meter: &Meter<'_>,
) -> Result<Result<Value, String>, GraphError> {
    if left.is_null() || right.is_null() {
        return Ok(Ok(Value::Null));
    }
    if let (Value::Integer(left), Value::Integer(right)) = (left, right)
        && operator != Operator::Power
    {
        return Ok(integers(operator, *left, *right));
    }
    if let Some((left, right)) = left.as_number().zip(right.as_number()) {
        return Ok(Ok(Value::Float(floats(operator, left, right))));
    }
    if operator == Operator::Add {
        if left.as_list().is_some() || right.as_list().is_some() {
            return joined(left, right, meter).map(Ok);
        }
        let has_text = left.as_text().is_some() || right.as_text().is_some();
        if let Some((left, right)) = plain_text(left).zip(plain_text(right)).filter(|_| has_text) {
            meter.allocate(left.len() + right.len())?;
            return Ok(Ok(Value::Text(Rc::from(left + &right))));
        }
    }
    Ok(Err(format!("Arithmetic needs numbers, not {} and {}.", left.type_name(), right.type_name())))
}

fn integers(operator: Operator, left: i64, right: i64) -> Result<Value, String> {
    if right == 0 && matches!(operator, Operator::Divide | Operator::Modulo) {
        return Err("Division by zero.".to_owned());
    }
    let result = if operator == Operator::Add {
        left.checked_add(right)
    } else if operator == Operator::Subtract {
        left.checked_sub(right)
    } else if operator == Operator::Multiply {
        left.checked_mul(right)
    } else if operator == Operator::Divide {
        left.checked_div(right)
    } else {
        left.checked_rem(right)
    };
    result.map(Value::Integer).ok_or_else(|| "The result does not fit an integer of 64 bits.".to_owned())
}

fn floats(operator: Operator, left: f64, right: f64) -> f64 {
    if operator == Operator::Add {
        left + right
    } else if operator == Operator::Subtract {
        left - right
    } else if operator == Operator::Multiply {
        left * right
    } else if operator == Operator::Divide {
        left / right
    } else if operator == Operator::Modulo {
        left % right
    } else {
        left.powf(right)
    }
}

fn joined(left: &Value, right: &Value, meter: &Meter<'_>) -> Result<Value, GraphError> {
    let items = |value: &Value| value.as_list().map_or(1, <[Value]>::len);
    meter.allocate((items(left) + items(right)) * size_of::<Value>())?;
    let mut all = Vec::new();
    for side in [left, right] {
        match side.as_list() {
            Some(items) => all.extend_from_slice(items),
            None => all.push(side.clone()),
        }
    }
    Value::list(all, meter)
}

/// The text of a scalar, as `toString` writes it.
pub fn plain_text(value: &Value) -> Option<String> {
    match value {
        Value::Text(text) => Some(text.to_string()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(format!("{number:?}")),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null | Value::List(_) | Value::Map(_) | Value::Node(_) | Value::Edge(_) | Value::Path(_) => None,
    }
}
