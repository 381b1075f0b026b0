//! Conversion of JSON parameters to SQLite values.

use super::row_text::BASE64;
use crate::sql_error::SqlError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::Value;

/// The key that marks a 64-bit integer in JSON.
const INTEGER: &str = "$integer";

/// Parses a JSON array of parameters.
pub fn parameters(json: &str) -> Result<Vec<Value>, SqlError> {
    let values: Vec<serde_json::Value> = serde_json::from_str(json).map_err(|_| {
        SqlError::Parameters(
            "params must be an array or an object of plain values, nested 100 deep at most.".to_owned(),
        )
    })?;
    values.into_iter().map(parameter).collect()
}

fn parameter(value: serde_json::Value) -> Result<Value, SqlError> {
    Ok(match value {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(truth) => Value::Integer(truth.into()),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(integer) => Value::Integer(integer),
            None => Value::Real(number.as_f64().unwrap_or(f64::NAN)),
        },
        serde_json::Value::String(text) => Value::Text(text),
        serde_json::Value::Object(object) => match (object.len(), object.get(BASE64), object.get(INTEGER)) {
            (1, Some(serde_json::Value::String(text)), _) => Value::Blob(
                STANDARD
                    .decode(text)
                    .map_err(|_| SqlError::Parameters("The bytes of a parameter are not valid base64.".to_owned()))?,
            ),
            (1, _, Some(serde_json::Value::String(text))) => Value::Integer(
                text.parse()
                    .map_err(|_| SqlError::Parameters(format!("{text} does not fit into an integer of 64 bits.")))?,
            ),
            _ => Value::Text(serde_json::Value::Object(object).to_string()),
        },
        serde_json::Value::Array(list) => Value::Text(serde_json::Value::Array(list).to_string()),
    })
}
