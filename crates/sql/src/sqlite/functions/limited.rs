//! Rarely used functions: SQLite evaluates them, if the work takes less than a second.

use super::argument::TextConverter;
use super::failure::{failure_with_message, interrupted};
use super::flags::flags;
use crate::sqlite::session_control::SessionControl;
use rusqlite::functions::{Context, FunctionFlags, SubType};
use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, Result};
use std::sync::Arc;

/// The SQLite subtype of JSON text.
const JSON: u32 = 'J' as u32;

struct Limited {
    name: &'static str,
    /// The query that evaluates the built-in function.
    sql: &'static str,
    /// Maximum product of the lengths of both arguments.
    most: u64,
    subtype: SubType,
}

const LIMITED: [Limited; 3] = [
    Limited { name: "unhex", sql: "SELECT unhex(?1, ?2)", most: 1 << 28, subtype: None },
    // Each key of one object is compared with each key of the other.
    Limited { name: "json_patch", sql: "SELECT json_patch(?1, ?2)", most: 1 << 31, subtype: Some(JSON) },
    Limited { name: "jsonb_patch", sql: "SELECT jsonb_patch(?1, ?2)", most: 1 << 31, subtype: None },
];

pub fn install(connection: &Connection, control: &Arc<SessionControl>, texts: &Arc<TextConverter>) -> Result<()> {
    for limited in LIMITED {
        let name = limited.name;
        let (control, texts) = (Arc::clone(control), Arc::clone(texts));
        let flags = flags() | FunctionFlags::SQLITE_RESULT_SUBTYPE;
        let call = move |context: &Context<'_>| {
            if control.must_stop() {
                return Err(interrupted());
            }
            answer(context, &limited, &texts)
        };
        connection.create_scalar_function(name, 2, flags, call)?;
    }
    Ok(())
}

fn answer(context: &Context<'_>, limited: &Limited, texts: &TextConverter) -> Result<(Value, SubType)> {
    let values = [context.get_raw(0), context.get_raw(1)];
    let work = values.iter().map(|value| length(*value)).product::<u64>();
    if work > limited.most {
        return Err(failure_with_message(&format!("the combined arguments of {}() are too long", limited.name)));
    }
    let answered = texts.evaluate(limited.sql, &values)?;
    let subtype = limited.subtype.filter(|_| answered != Value::Null);
    Ok((answered, subtype))
}

fn length(value: ValueRef<'_>) -> u64 {
    match value {
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => u64::try_from(bytes.len()).unwrap_or(u64::MAX),
        ValueRef::Null | ValueRef::Integer(_) | ValueRef::Real(_) => 1,
    }
}
