//! The tables and functions that a statement uses, to be verified against the catalogue of the database before it runs.

use super::known_functions::unknown_calls;
use super::policy::SqlPolicy;
use crate::dialects::Verification;
use crate::parsing::relations::relations;
use crate::parsing::sequences::sequences;
use crate::parsing::table_names::{called_functions, mentioned_names, written_tables};
use crate::parsing::token::Tokens;
use crate::sql_error::{SqlError, refused};
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::sql_detail::SqlDetail;
use tgp_base::sql_verb::Access;

/// Case-folded names of a statement.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Reach {
    /// Every table; `None` if they cannot be determined or need not be compared.
    pub tables: Option<BTreeSet<String>>,
    /// Whether the database can give a query plan to compare them with.
    pub planned: bool,
    /// Every name.
    pub names: BTreeSet<String>,
    /// Functions that may be called; for an unknown database, only calls that are not known in every database.
    pub calls: BTreeSet<String>,
    /// Tables that may be written to, for a database where some tables are not transactional.
    pub written: BTreeSet<String>,
}

/// Maximum number of names that are checked.
const MAX_NAMES: usize = 1_000;

/// Determines the reach. `None` for a database whose authorizer checks it, and for statements with too many names if no rule
/// depends on them.
pub fn reach(tokenised: &[Tokens<'_>], policy: &SqlPolicy, access: Access) -> Result<Option<Reach>, SqlError> {
    let Some(tokens) = tokenised.first() else { return Ok(None) };
    let (dialect, detail) = (tokens.dialect(), policy.detail());
    let calls = match dialect.verification() {
        Verification::Authorizer => return Ok(None),
        Verification::Catalogue => called_functions(tokens),
        // Any of the lexer configurations may apply.
        Verification::Impossible => tokenised.iter().flat_map(|tokens| unknown_calls(tokens, detail)).collect(),
    };
    let mut reach = Reach { names: mentioned_names(tokens), calls, ..Reach::default() };
    if dialect.has_untransactional_tables() && access != Access::Read {
        reach.written = written_tables(tokens);
    }
    if detail == SqlDetail::Nothing && reach.names.len().max(reach.calls.len()) > MAX_NAMES {
        if reach.written.is_empty() {
            return Ok(None);
        }
        reach = Reach { written: reach.written, ..Reach::default() };
    }
    if reach.names.len().max(reach.calls.len()).max(reach.written.len()) > MAX_NAMES {
        let what = format!("a statement with more than {MAX_NAMES} names cannot be checked");
        return Err(refused(what, "Split it into several statements."));
    }
    // Denied tables are found by name anywhere; a plan is needed only if there is an allow list.
    let is_compared = policy.judged == SqlDetail::Tables || policy.allow.tables.is_some();
    if is_compared && dialect.has_plans() {
        reach.tables = relations(tokens).ok();
        reach.planned = reach.tables.is_some() && has_plan(tokens);
    }
    if detail == SqlDetail::Tables {
        reach.names.extend(sequences(tokens).unwrap_or_default());
    }
    Ok(Some(reach))
}

fn has_plan(tokens: &Tokens<'_>) -> bool {
    let first = (0..tokens.len()).find(|index| !tokens.is_symbol(*index, b'(')).unwrap_or_default();
    let planned = ["SELECT", "WITH", "VALUES", "TABLE", "INSERT", "UPDATE", "DELETE", "MERGE"];
    planned.contains(&tokens.word(first))
}
