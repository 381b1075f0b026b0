//! Function arguments, converted as in SQLite's built-in functions.

use parking_lot::Mutex;
use rusqlite::functions::{Context, SqlFnArg};
use rusqlite::types::{ToSql, ToSqlOutput, Value, ValueRef};
use rusqlite::{Connection, Result};
use std::borrow::Cow;

/// Converts values to text. Uses a separate in-memory SQLite for conversions that only SQLite implements.
#[derive(Default)]
pub struct TextConverter {
    helper: Mutex<Option<Connection>>,
}

impl TextConverter {
    /// The bytes of a value as text; `None` for NULL.
    pub fn of<'a>(&self, value: ValueRef<'a>) -> Result<Option<Cow<'a, [u8]>>> {
        Ok(match value {
            ValueRef::Null => None,
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(Cow::Borrowed(bytes)),
            ValueRef::Integer(number) => Some(Cow::Owned(number.to_string().into_bytes())),
            ValueRef::Real(_) => match self.evaluate("SELECT CAST(?1 AS TEXT)", &[value])? {
                Value::Text(text) => Some(Cow::Owned(text.into_bytes())),
                Value::Null | Value::Integer(_) | Value::Real(_) | Value::Blob(_) => None,
            },
        })
    }

    /// Evaluates a query in an SQLite without tables, and returns the first value.
    pub fn evaluate(&self, sql: &str, values: &[ValueRef<'_>]) -> Result<Value> {
        let mut helper = self.helper.lock();
        let connection = match helper.take() {
            Some(connection) => connection,
            None => Connection::open_in_memory()?,
        };
        let connection = helper.insert(connection);
        let mut statement = connection.prepare_cached(sql)?;
        for (index, value) in values.iter().enumerate() {
            statement.raw_bind_parameter(index + 1, ToSqlOutput::Borrowed(*value))?;
        }
        let mut rows = statement.raw_query();
        match rows.next()? {
            Some(row) => row.get(0),
            None => Ok(Value::Null),
        }
    }
}

/// The result of a text function.
pub enum TextAnswer {
    Null,
    /// The argument, unchanged.
    Same(SqlFnArg),
    /// Bytes as text, even if they are not valid UTF-8.
    Bytes(Vec<u8>),
}

impl TextAnswer {
    /// The first argument, as text.
    pub fn first(context: &Context<'_>, text: &[u8]) -> Self {
        match context.get_raw(0) {
            ValueRef::Text(_) => Self::Same(context.get_arg(0)),
            ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) | ValueRef::Blob(_) => Self::Bytes(text.to_vec()),
        }
    }
}

impl ToSql for TextAnswer {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        match self {
            Self::Null => Ok(ToSqlOutput::Borrowed(ValueRef::Null)),
            Self::Same(argument) => argument.to_sql(),
            Self::Bytes(bytes) => Ok(ToSqlOutput::Borrowed(ValueRef::Text(bytes))),
        }
    }
}
