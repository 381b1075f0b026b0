//! What a statement was read to reach, for a database that can be asked whether that is all.

use super::policy::SqlPolicy;
use super::verb::Access;
use crate::reading::dialect::{Dialect, Reading};
use crate::reading::relations::relations;
use crate::reading::table_names::{called, mentioned, written};
use crate::reading::token::Tokens;
use crate::sql_error::{SqlError, refused};
use serde::Serialize;
use std::collections::BTreeSet;

/// Names as the database looks them up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reach {
    /// Every table that was found; nothing where they could not be, and for what has no plan to compare them with.
    pub tables: Option<BTreeSet<String>>,
    /// Every name.
    pub names: BTreeSet<String>,
    /// Functions that may be called.
    pub calls: BTreeSet<String>,
    /// Tables that may be written to, in a database where some tables have no transactions.
    pub written: BTreeSet<String>,
}

/// A statement with more names is not asked about.
const MAX_NAMES: usize = 1_000;

/// What the database is asked about; nothing where no rule depends on it, or SQLite's authorizer sees it by itself.
pub fn reach(
    tokens: &Tokens<'_>,
    reading: Reading,
    dialect: Dialect,
    policy: &SqlPolicy,
    access: Access,
) -> Result<Option<Reach>, SqlError> {
    // A transaction that may only read is kept so by the database, whatever the statement calls.
    let of_tables = policy.judged || policy.tells_tables_apart();
    let leans = of_tables || (policy.tells_verbs_apart() && !policy.only_reads());
    let leans = leans && matches!(dialect, Dialect::Postgres | Dialect::Mysql);
    let writes = dialect == Dialect::Mysql && access != Access::Read;
    if !leans && !writes {
        return Ok(None);
    }
    let mut reach = Reach::default();
    if writes {
        reach.written = written(tokens, dialect);
    }
    if leans {
        let is_compared = of_tables && has_plan(tokens);
        reach.tables = if is_compared { relations(tokens, reading.lexis, dialect).ok() } else { None };
        reach.names = mentioned(tokens, dialect);
        reach.calls = called(tokens, reading.lexis, dialect);
    }
    if reach.names.len().max(reach.calls.len()).max(reach.written.len()) > MAX_NAMES {
        let what = format!("a statement with more than {MAX_NAMES} names cannot be checked");
        return Err(refused(what, "Make several statements of it."));
    }
    Ok(Some(reach))
}

fn has_plan(tokens: &Tokens<'_>) -> bool {
    let first = (0..tokens.len()).find(|index| !tokens.is_symbol(*index, b'(')).unwrap_or_default();
    let planned = ["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"];
    planned.contains(&tokens.word(first))
}
