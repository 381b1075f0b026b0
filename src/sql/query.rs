//! One statement on SQLite: values in, rows out as JSON text, within limits.

use super::session::SessionControl;
use super::sql_error::SqlError;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, Statement, ffi};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// How much a statement may take.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueryLimits {
    pub max_rows: usize,
    pub max_bytes: usize,
    pub timeout_ms: u64,
}

/// What a statement gave.
#[derive(Debug, Serialize)]
pub struct QueryAnswer {
    /// The rows as a JSON array of objects; `null` when the statement returns no rows by nature.
    pub rows: Box<serde_json::value::RawValue>,
    pub affected: u64,
}

/// The key that marks bytes in JSON.
const BASE64: &str = "$base64";
/// The key that marks an integer of 64 bits in JSON.
const INTEGER: &str = "$integer";
/// Largest integer that a JavaScript number holds exactly.
const MAX_SAFE: i64 = (1 << 53) - 1;

pub(super) fn run(
    connection: &Connection,
    control: &Arc<SessionControl>,
    sql: &str,
    params_json: &str,
    limits: QueryLimits,
) -> Result<QueryAnswer, SqlError> {
    if control.is_cancelled() {
        return Err(SqlError::Cancelled);
    }
    control.set_deadline(Some(Instant::now() + Duration::from_millis(limits.timeout_ms)));
    let values = parameters(params_json)?;
    let answer = execute(connection, control, sql, &values, limits);
    let late = control.is_late();
    control.set_deadline(None);
    match answer {
        Err(SqlError::Cancelled) if late => Err(SqlError::Timeout { ms: limits.timeout_ms }),
        other => other,
    }
}

fn execute(
    connection: &Connection,
    control: &Arc<SessionControl>,
    sql: &str,
    values: &[Value],
    limits: QueryLimits,
) -> Result<QueryAnswer, SqlError> {
    let failed = |error: rusqlite::Error| database_error(&error, control);
    let before = connection.total_changes();
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    for (index, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, value).map_err(failed)?;
    }
    let rows = if statement.column_count() == 0 {
        statement.raw_execute().map_err(failed)?;
        "null".to_owned()
    } else {
        rows(&mut statement, limits, failed)?
    };
    statement.clear_bindings();
    let rows = serde_json::value::RawValue::from_string(rows)
        .map_err(|_| SqlError::Unreadable("The rows cannot be written as JSON.".to_owned()))?;
    Ok(QueryAnswer { rows, affected: connection.total_changes().saturating_sub(before) })
}

fn rows(
    statement: &mut Statement<'_>,
    limits: QueryLimits,
    failed: impl Fn(rusqlite::Error) -> SqlError,
) -> Result<String, SqlError> {
    let keys: Vec<String> = statement.column_names().map(|name| format!("{}:", json_text(name))).collect();
    let mut text = String::from("[");
    let mut count = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(&failed)? {
        count += 1;
        if count > limits.max_rows {
            return Err(SqlError::TooManyRows { limit: limits.max_rows });
        }
        text.push_str(if count == 1 { "{" } else { ",{" });
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                text.push(',');
            }
            text.push_str(key);
            write_value(&mut text, row.get_ref(index).map_err(&failed)?);
        }
        text.push('}');
        if text.len() > limits.max_bytes {
            return Err(SqlError::TooManyBytes { limit: limits.max_bytes });
        }
    }
    text.push(']');
    Ok(text)
}

fn json_text(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

fn write_value(text: &mut String, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => text.push_str("null"),
        ValueRef::Integer(number) if (-MAX_SAFE..=MAX_SAFE).contains(&number) => text.push_str(&number.to_string()),
        ValueRef::Integer(number) => text.push_str(&format!("\"{number}\"")),
        ValueRef::Real(number) => match serde_json::Number::from_f64(number) {
            Some(number) => text.push_str(&number.to_string()),
            None if number.is_nan() => text.push_str("\"NaN\""),
            None => text.push_str(if number > 0.0 { "\"Infinity\"" } else { "\"-Infinity\"" }),
        },
        ValueRef::Text(bytes) => text.push_str(&json_text(&String::from_utf8_lossy(bytes))),
        ValueRef::Blob(bytes) => {
            text.push_str(&format!("{{\"{BASE64}\":\""));
            STANDARD.encode_string(bytes, text);
            text.push_str("\"}");
        }
    }
}

fn parameters(json: &str) -> Result<Vec<Value>, SqlError> {
    let values: Vec<serde_json::Value> = serde_json::from_str(json)
        .map_err(|_| SqlError::Parameters("params must be an array or an object of plain values.".to_owned()))?;
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

/// SQLite's failure in our words; its own text where it has one.
pub(super) fn database_error(error: &rusqlite::Error, control: &Arc<SessionControl>) -> SqlError {
    let extended = error.sqlite_error().map(|inner| inner.extended_code);
    match error.sqlite_error_code() {
        Some(ErrorCode::OperationInterrupted) => SqlError::Cancelled,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) if control.must_stop() => SqlError::Cancelled,
        Some(ErrorCode::DatabaseBusy) if extended == Some(ffi::SQLITE_BUSY_SNAPSHOT) => SqlError::Conflict,
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => SqlError::Busy,
        Some(ErrorCode::AuthorizationForStatementDenied) => SqlError::Refused {
            what: "the statement touches something that is not for tools".to_owned(),
            advice: "Use the tables and actions that the owner allows.",
        },
        Some(code) => SqlError::Database { message: message_of(error), code: Some(format!("{code:?}")) },
        None => SqlError::Database { message: message_of(error), code: None },
    }
}

fn message_of(error: &rusqlite::Error) -> String {
    if let rusqlite::Error::SqliteFailure(_, Some(message)) | rusqlite::Error::SqlInputError { msg: message, .. } =
        error
    {
        format!("The database says: {message}.")
    } else {
        format!("The database says: {error}.")
    }
}
