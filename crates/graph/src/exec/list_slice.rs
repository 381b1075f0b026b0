//! Slices of lists.

use super::meter::Meter;
use super::value::Value;
use crate::graph_error::GraphError;

/// `list[from..to]`; negative bounds count from the end.
pub fn slice(of: &Value, from: Option<&Value>, to: Option<&Value>, meter: &Meter<'_>) -> Result<Value, GraphError> {
    let Some(items) = of.as_list() else { return Ok(Value::Null) };
    let length = i64::try_from(items.len()).unwrap_or(i64::MAX);
    let place = |bound: Option<&Value>, otherwise: i64| {
        let bound = bound.map_or(Some(otherwise), Value::as_integer)?;
        let place = if bound < 0 { bound.saturating_add(length) } else { bound };
        usize::try_from(place.clamp(0, length)).ok()
    };
    let (Some(from), Some(to)) = (place(from, 0), place(to, length)) else { return Ok(Value::Null) };
    Value::list(items.get(from..to).unwrap_or_default().to_vec(), meter)
}
