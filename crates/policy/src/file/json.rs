//! Converts a policy or caveats from JSON.

use super::fault::Fault;
use super::node::{Content, MAX_DEPTH, MAX_NODES, Member, Node, Place};
use serde_json::Value;

/// # Errors
/// An object that is too deep or too large.
pub(crate) fn from_json(value: &Value) -> Result<Node, Fault> {
    let mut left = MAX_NODES;
    convert(value, String::new(), 0, &mut left)
}

fn convert(value: &Value, member: String, depth: usize, left: &mut usize) -> Result<Node, Fault> {
    let place = Place::Member(member.as_str().into());
    *left = left
        .checked_sub(1)
        .ok_or_else(|| Fault::new(&place, format!("The object has more than {MAX_NODES} values.")))?;
    let is_nested = matches!(value, Value::Array(_) | Value::Object(_));
    if is_nested && depth >= MAX_DEPTH {
        let message = format!("Lists and maps are nested more than {MAX_DEPTH} deep here. Policies are flat.");
        return Err(Fault::new(&place, message));
    }
    let content = match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Content::Scalar(value.clone()),
        Value::Array(items) => Content::List(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| convert(item, format!("{member}[{index}]"), depth + 1, left))
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(members) => Content::Map(
            members
                .iter()
                .map(|(key, value)| {
                    let path = if member.is_empty() { key.clone() } else { format!("{member}.{key}") };
                    let place = Place::Member(path.as_str().into());
                    Ok(Member { key: key.clone(), place, value: convert(value, path, depth + 1, left)? })
                })
                .collect::<Result<_, Fault>>()?,
        ),
    };
    Ok(Node { place, content })
}
