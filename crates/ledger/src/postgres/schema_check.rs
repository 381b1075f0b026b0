//! Checks the tables of the database: changed tables could hide or change rows.
//!
//! Indexes are not checked: PostgreSQL does not use unsuitable ones, and missing ones only make queries slow.

use super::connection::{Connection, Value};
use super::failure::Failure;
use super::schema::{SHAPES, Schema};
use crate::verification::{Problem, ProblemKind};

/// Plain tables without rules, triggers, row policies or child tables.
const TABLES: &str = "select c.relname::text, c.relkind = 'r' and not c.relhasrules and not c.relhastriggers \
    and not c.relrowsecurity and not c.relhassubclass and not c.relispartition, \
    (select string_agg(a.attname || ' ' || format_type(a.atttypid, null), ', ' order by a.attnum) \
        from pg_catalog.pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) \
    from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
    where n.nspname = $1 and c.relkind not in ('i', 't') order by c.relname";

/// Checks the tables, and returns the first problem.
pub(super) fn check(connection: &mut Connection, schema: &Schema) -> Result<Option<Problem>, Failure> {
    let mut found = Vec::new();
    connection.query(TABLES, &[Value::Text(schema.name())], &mut |mut row| {
        found.push((row.text()?.to_owned(), row.truth()?, row.text()?.to_owned()));
        Ok(())
    })?;
    let is_whole = |(name, columns): &(&str, &str)| {
        found.iter().any(|(table, is_plain, shape)| table == name && *is_plain && shape == columns)
    };
    if SHAPES.iter().all(is_whole) {
        return Ok(None);
    }
    let message = "the tables of the ledger's database were changed";
    Ok(Some(Problem::new(ProblemKind::Changed, 0, message)))
}
