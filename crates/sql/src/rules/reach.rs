//! What a statement was read to reach, for a database that can be asked whether that is all.

use super::known_functions::unknown_calls;
use super::policy::SqlPolicy;
use super::verb::Access;
use crate::reading::dialect::{Dialect, Reading};
use crate::reading::relations::relations;
use crate::reading::sequences::sequences;
use crate::reading::table_names::{called, mentioned, written};
use crate::reading::token::Tokens;
use crate::sql_error::{SqlError, refused};
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::sql_detail::SqlDetail;

/// Names as the database looks them up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reach {
    /// Every table that was found; nothing where they could not be, and where they need not be compared.
    pub tables: Option<BTreeSet<String>>,
    /// Whether there is a plan to compare them with.
    pub planned: bool,
    /// Every name.
    pub names: BTreeSet<String>,
    /// Functions that may be called; where the database is not known, whatever may call one that not every database has.
    pub calls: BTreeSet<String>,
    /// Tables that may be written to, in a database where some tables have no transactions.
    pub written: BTreeSet<String>,
}

/// A statement with more names is not checked.
const MAX_NAMES: usize = 1_000;

/// What the database may be asked about. Nothing for SQLite, whose authorizer sees it by itself, and for statements with too many
/// names where no rule looks at them.
pub fn reach(
    readings: &[(Tokens<'_>, Reading)],
    dialect: Dialect,
    policy: &SqlPolicy,
    access: Access,
) -> Result<Option<Reach>, SqlError> {
    let Some((tokens, reading)) = readings.first().filter(|_| dialect != Dialect::Sqlite) else { return Ok(None) };
    let detail = policy.detail();
    let calls = match dialect {
        // A database that is not known has no catalogue that could be asked, and any reading may be its own.
        Dialect::Any => readings.iter().flat_map(|(tokens, reading)| unknown_calls(tokens, *reading, detail)).collect(),
        Dialect::Sqlite | Dialect::Postgres | Dialect::Mysql => called(tokens, reading.lexis, dialect),
    };
    let mut reach = Reach { names: mentioned(tokens, dialect), calls, ..Reach::default() };
    if dialect == Dialect::Mysql && access != Access::Read {
        reach.written = written(tokens, dialect);
    }
    if detail == SqlDetail::Nothing && reach.names.len().max(reach.calls.len()) > MAX_NAMES {
        if reach.written.is_empty() {
            return Ok(None);
        }
        reach = Reach { written: reach.written, ..Reach::default() };
    }
    if reach.names.len().max(reach.calls.len()).max(reach.written.len()) > MAX_NAMES {
        let what = format!("a statement with more than {MAX_NAMES} names cannot be checked");
        return Err(refused(what, "Make several statements of it."));
    }
    // Denied tables are found by their names anywhere; a plan is needed where only some tables are allowed.
    let is_compared = policy.judged == SqlDetail::Tables || policy.allow.tables.is_some();
    if is_compared && dialect == Dialect::Postgres {
        reach.tables = relations(tokens, reading.lexis, dialect).ok();
        reach.planned = reach.tables.is_some() && has_plan(tokens);
    }
    if detail == SqlDetail::Tables {
        reach.names.extend(sequences(tokens, reading.lexis, dialect).unwrap_or_default());
    }
    Ok(Some(reach))
}

fn has_plan(tokens: &Tokens<'_>) -> bool {
    let first = (0..tokens.len()).find(|index| !tokens.is_symbol(*index, b'(')).unwrap_or_default();
    let planned = ["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"];
    planned.contains(&tokens.word(first))
}
