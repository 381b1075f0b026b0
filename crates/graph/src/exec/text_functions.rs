//! Functions of texts. The size of a result is charged before it is made.

use super::meter::Meter;
use super::value::Value;
use crate::cypher::functions::Function;
use crate::graph_error::GraphError;

/// `None` if the arguments have other types.
pub fn call(function: Function, arguments: &[Value], meter: &Meter<'_>) -> Result<Option<Value>, GraphError> {
    let Some(text) = arguments.first().and_then(Value::as_text) else { return Ok(None) };
    meter.allocate(text.len())?;
    let argument = |at: usize| arguments.get(at);
    let result = match (function,) {
        // A letter may become up to three.
        (Function::ToLower,) => Some(text.to_lowercase()),
        (Function::ToUpper,) => Some(text.to_uppercase()),
        (Function::Trim,) => Some(text.trim().to_owned()),
        (Function::Reverse,) => Some(text.chars().rev().collect()),
        (Function::Left,) => length(argument(1)).map(|length| text.chars().take(length).collect()),
        (Function::Right,) => length(argument(1)).map(|length| {
            let all = text.chars().count();
            text.chars().skip(all.saturating_sub(length)).collect()
        }),
        (Function::Substring,) => {
            let start = length(argument(1));
            let count = argument(2).map_or(Some(usize::MAX), |count| length(Some(count)));
            start.zip(count).map(|(start, count)| text.chars().skip(start).take(count).collect())
        }
        (Function::Split,) => return split(text, argument(1), meter),
        (Function::Replace,) => return replace(text, argument(1), argument(2), meter),
        _ => None,
    };
    result.map(|text| Value::text(&text, meter)).transpose()
}

fn length(of: Option<&Value>) -> Option<usize> {
    of.and_then(Value::as_integer).and_then(|number| usize::try_from(number).ok())
}

fn split(text: &str, by: Option<&Value>, meter: &Meter<'_>) -> Result<Option<Value>, GraphError> {
    let Some(by) = by.and_then(Value::as_text) else { return Ok(None) };
    if by.is_empty() {
        let letters = text.chars().map(|letter| Value::text(letter.encode_utf8(&mut [0; 4]), meter));
        return Value::list(letters.collect::<Result<_, _>>()?, meter).map(Some);
    }
    let parts = text.split(by).map(|part| Value::text(part, meter)).collect::<Result<_, _>>()?;
    Value::list(parts, meter).map(Some)
}

fn replace(
    text: &str,
    from: Option<&Value>,
    to: Option<&Value>,
    meter: &Meter<'_>,
) -> Result<Option<Value>, GraphError> {
    let (Some(from), Some(to)) = (from.and_then(Value::as_text), to.and_then(Value::as_text)) else { return Ok(None) };
    if from.is_empty() {
        return Value::text(text, meter).map(Some);
    }
    let count = text.matches(from).count();
    meter.allocate(text.len().saturating_add(count.saturating_mul(to.len())))?;
    Value::text(&text.replace(from, to), meter).map(Some)
}
