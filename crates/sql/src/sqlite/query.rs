//! Runs one statement: parameters in, rows out as JSON text, within limits.

use super::authorizer::{Authorizer, MAX_CACHED_SQL_BYTES};
use super::limits::{MAX_VALUE_BYTES, bound_values};
use super::program_cost::max_value_length;
use super::row_text::RowText;
use super::session_control::SessionControl;
use super::sqlite_error::database_error;
use super::values::parameters;
use crate::sql_error::{SqlError, refused};
use rusqlite::types::Value;
use rusqlite::{CachedStatement, Connection, Statement, StatementStatus};
use serde::Deserialize;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tgp_base::sql_verb::{Access, SqlVerb};

/// Limits of a statement.
#[derive(Debug, Clone, Copy, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct QueryLimits {
    pub max_rows: usize,
    pub max_bytes: usize,
    pub timeout_ms: u64,
}

/// The result of a statement.
#[derive(Debug)]
pub struct QueryAnswer {
    /// `{"rows":…,"affected":n}`, in this order: the rows as an array of objects, or `null` for a statement without a
    /// result set. It is text, so that rows are serialised only once.
    pub json: String,
}

const ROWS: &str = "{\"rows\":";

/// A larger prepared statement is not cached.
const MAX_CACHED_BYTES: i32 = 128 << 10;

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
    let answer = parameters(params_json).and_then(|values| execute(connection, control, sql, &values, limits));
    control.with_authorizer(Authorizer::close);
    let late = control.is_past_deadline();
    control.set_deadline(None);
    match answer {
        Err(SqlError::Cancelled) if late => Err(SqlError::Timeout { ms: limits.timeout_ms }),
        Err(error @ SqlError::OutOfMemory { .. }) => {
            // Frees the caches of this session first.
            connection.flush_prepared_statement_cache();
            let _best_effort = connection.release_memory();
            Err(error)
        }
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
    // The full limit: the lower limit of the last statement must not apply when SQLite reads the schema.
    let most = limits.max_bytes.clamp(control.min_value_limit(), MAX_VALUE_BYTES);
    bound_values(connection, control, most).map_err(failed)?;
    let before = connection.total_changes();
    let classification = control.with_authorizer(|authorizer| authorizer.prepare(sql, values.len()))?;
    let mut statement = connection.prepare_cached(sql).map_err(failed)?;
    // PRAGMAs are checked by the rules. SQLite does not report `PRAGMA journal_mode` as read-only.
    let pragma = classification.verbs.contains(&SqlVerb::Show);
    if classification.access == Access::Read && !pragma && !statement.readonly() {
        statement.discard();
        return Err(refused(
            "the statement looks like a read, but the database would write",
            "Write it in simpler SQL, or use INSERT, UPDATE or DELETE directly.",
        ));
    }
    let longest = max_value_length(connection, control, &statement, sql, most).map_err(failed)?;
    bound_values(connection, control, longest).map_err(failed)?;
    let defines = classification.access == Access::Schema;
    control.with_authorizer(|authorizer| authorizer.run(classification));
    for (index, value) in values.iter().enumerate() {
        statement.raw_bind_parameter(index + 1, value).map_err(failed)?;
    }
    let rows = if statement.column_count() == 0 {
        statement.raw_execute().map(|_| format!("{ROWS}null")).map_err(failed)
    } else {
        rows(&mut statement, limits, failed)
    };
    statement.clear_bindings();
    cache(statement, sql);
    bound_values(connection, control, most).map_err(failed)?;
    if defines {
        connection.flush_prepared_statement_cache();
        control.with_authorizer(Authorizer::clear_costs);
    }
    let mut json = rows?;
    let affected = connection.total_changes().saturating_sub(before);
    json.push_str(&format!(",\"affected\":{affected}}}"));
    json.shrink_to_fit();
    Ok(QueryAnswer { json })
}

/// Returns a prepared statement to the cache, unless it is large.
fn cache(statement: CachedStatement<'_>, sql: &str) {
    if sql.len() > MAX_CACHED_SQL_BYTES || statement.get_status(StatementStatus::MemUsed) > MAX_CACHED_BYTES {
        statement.discard();
    }
}

fn rows(
    statement: &mut Statement<'_>,
    limits: QueryLimits,
    failed: impl Fn(rusqlite::Error) -> SqlError,
) -> Result<String, SqlError> {
    let mut keys = Vec::with_capacity(statement.column_count());
    for name in statement.column_names() {
        let mut key = RowText::new("", limits.max_bytes);
        key.push_string(name.as_bytes())?;
        key.push(":")?;
        keys.push(key.into_text());
    }
    let mut text = RowText::new(ROWS, limits.max_bytes);
    text.push("[")?;
    let mut count = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(&failed)? {
        count += 1;
        if count > limits.max_rows {
            return Err(SqlError::TooManyRows { limit: limits.max_rows });
        }
        text.push(if count == 1 { "{" } else { ",{" })?;
        for (index, key) in keys.iter().enumerate() {
            if index > 0 {
                text.push(",")?;
            }
            text.push(key)?;
            text.push_value(row.get_ref(index).map_err(&failed)?)?;
        }
        text.push("}")?;
    }
    text.push("]")?;
    Ok(text.into_text())
}
