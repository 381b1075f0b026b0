//! Schema changes: tools may create, alter and drop objects that contain data, but no code or privileges, and that are
//! permanent or dropped with the transaction.

use crate::dialects::Signs;
use crate::parsing::token::Tokens;
use crate::sql_error::{SqlError, refused, shortened};
use tgp_base::sql_verb::SqlVerb;

const OBJECTS: [&str; 8] = ["TABLE", "INDEX", "VIEW", "SCHEMA", "SEQUENCE", "TYPE", "DOMAIN", "STATISTICS"];
const ADJECTIVES: [&str; 11] = [
    "OR",
    "REPLACE",
    "TEMP",
    "TEMPORARY",
    "UNIQUE",
    "MATERIALIZED",
    "UNLOGGED",
    "GLOBAL",
    "LOCAL",
    "RECURSIVE",
    "CONCURRENTLY",
];

/// Clauses that execute code, grant privileges or disable a protection.
const CODE_AND_RIGHTS: [&[&str]; 11] = [
    &["LEVEL", "SECURITY"],
    &["ENABLE", "TRIGGER"],
    &["DISABLE", "TRIGGER"],
    &["REPLICA", "TRIGGER"],
    &["ALWAYS", "TRIGGER"],
    &["ENABLE", "RULE"],
    &["DISABLE", "RULE"],
    &["REPLICA", "RULE"],
    &["ALWAYS", "RULE"],
    &["REPLICA", "IDENTITY"],
    &["AS", "EXECUTE"],
];

const DATA_ONLY: &str =
    "Tools may create, alter and drop tables, indexes and views, but not objects with code or privileges.";

pub fn check_schema_change(verb: SqlVerb, tokens: &Tokens<'_>) -> Result<(), SqlError> {
    let dialect = tokens.dialect();
    // An unknown database may commit too; `ddl` is the decision of its owner.
    if let Some(rules) = dialect.known().filter(|rules| rules.commits_schema_changes) {
        return Err(refused(
            format!(
                "{} commits at {}, so the run could no longer be rolled back",
                rules.name,
                verb.as_str().to_uppercase()
            ),
            "Change the schema in a migration of the application; use WITH for an intermediate result.",
        ));
    }
    if !matches!(verb, SqlVerb::Create | SqlVerb::Alter | SqlVerb::Drop) {
        return Ok(());
    }
    let words: Vec<&str> = tokens.words().collect();
    let described = words.iter().skip(1).take_while(|word| ADJECTIVES.contains(word)).count();
    let adjectives = words.get(1..=described).unwrap_or_default();
    let object = words.get(1 + described).copied().unwrap_or_default();
    if !OBJECTS.contains(&object) {
        let what = format!("{} {} is not available to tools", verb.as_str().to_uppercase(), shortened(object));
        return Err(refused(what, DATA_ONLY));
    }
    let temporary = adjectives.iter().any(|word| matches!(*word, "TEMP" | "TEMPORARY"));
    let ends_with_run = dialect.drops_temporary_tables() && has(&words, &["ON", "COMMIT", "DROP"]);
    if (temporary && !ends_with_run) || in_temporary_schema(tokens) {
        let advice = if dialect.drops_temporary_tables() { DROPPED_TEMPORARY } else { NO_TEMPORARY };
        return Err(temporary_table(advice));
    }
    let further = words.iter().skip(1).any(|word| matches!(*word, "CREATE" | "GRANT"));
    let base_type = object == "TYPE" && verb == SqlVerb::Create && base_type(tokens);
    // A column may have this name, and be renamed.
    let owner = words.windows(3).any(|window| matches!(window, [before, "OWNER", "TO"] if *before != "COLUMN"));
    if further || base_type || owner || CODE_AND_RIGHTS.iter().any(|part| has(&words, part)) {
        return Err(refused(
            "a definition with code, privileges or further statements is not available to tools",
            DATA_ONLY,
        ));
    }
    Ok(())
}

/// The error for a schema change where that is not allowed.
pub fn schema_is_fixed(verb: SqlVerb) -> SqlError {
    let advice = match verb {
        SqlVerb::Truncate => "Remove the rows with DELETE FROM.",
        SqlVerb::Maintain => "Leave it out; maintenance is done by the owner of the database.",
        SqlVerb::Select
        | SqlVerb::Insert
        | SqlVerb::Update
        | SqlVerb::Delete
        | SqlVerb::Replace
        | SqlVerb::Merge
        | SqlVerb::Create
        | SqlVerb::Alter
        | SqlVerb::Drop
        | SqlVerb::Show => {
            "Use the tables that exist, and WITH for intermediate results; ask for a migration of the application if something is missing."
        }
    };
    SqlError::SchemaFixed { verb: verb.keywords(), advice }
}

fn has(words: &[&str], wanted: &[&str]) -> bool {
    words.windows(wanted.len()).any(|window| window == wanted)
}

/// Whether this is `CREATE TYPE name (INPUT = …)`: a type implemented by functions.
fn base_type(tokens: &Tokens<'_>) -> bool {
    let opening = (0..tokens.len()).find(|index| tokens.is_symbol(*index, b'('));
    opening.is_some_and(|index| !matches!(tokens.word_before(index), "AS" | "ENUM" | "RANGE"))
}

const NO_TEMPORARY: &str = "Use WITH for an intermediate result, or a table that the tool drops.";
const DROPPED_TEMPORARY: &str = "Use WITH, or CREATE TEMP TABLE … ON COMMIT DROP.";

/// The error for a temporary table, which would stay on its pooled connection and hide the real table from later runs.
fn temporary_table(advice: &'static str) -> SqlError {
    refused("a temporary object would outlive the run on its connection", advice)
}

fn in_temporary_schema(tokens: &Tokens<'_>) -> bool {
    tokens.list().iter().enumerate().any(|(index, token)| {
        tokens.is_symbol(index + 1, b'.') && tokens.name(*token).is_some_and(|name| name.eq_ignore_ascii_case("temp"))
    })
}

/// Whether `SELECT … INTO name` creates a table. An error if it would set a session variable or create a temporary table.
pub fn check_select_into(tokens: &Tokens<'_>, at: usize, leading: SqlVerb) -> Result<bool, SqlError> {
    let mut creates = false;
    if leading != SqlVerb::Select {
        return Ok(creates);
    }
    let main = main_statement(tokens, at);
    let mut depth = 0_usize;
    for index in 0..tokens.len() {
        if tokens.is_symbol(index, b'(') {
            depth += 1;
        } else if tokens.is_symbol(index, b')') {
            depth = depth.saturating_sub(1);
        }
        if tokens.word(index) != "INTO" {
            continue;
        }
        if tokens.rules().signs == Signs::SessionVariables && tokens.is_symbol(index + 1, b'@') {
            return Err(refused("a session variable may not be set", "Keep the value in the tool."));
        }
        let of_main = main.is_some_and(|main| index > main && depth == 0);
        let reads = main.is_none_or(|main| matches!(tokens.word(main), "SELECT" | "VALUES" | "TABLE" | "WITH"));
        let inserts = matches!(
            tokens.word_before(index),
            "INSERT"
                | "REPLACE"
                | "MERGE"
                | "IGNORE"
                | "ABORT"
                | "FAIL"
                | "ROLLBACK"
                | "LOW_PRIORITY"
                | "HIGH_PRIORITY"
        );
        if if of_main || main.is_none() { reads } else { !inserts } {
            if matches!(tokens.word(index + 1), "TEMP" | "TEMPORARY" | "LOCAL" | "GLOBAL") {
                return Err(temporary_table(NO_TEMPORARY));
            }
            creates = true;
        }
    }
    Ok(creates)
}

/// The start of the main statement, after `EXPLAIN` and common table expressions; `None` if it cannot be determined.
fn main_statement(tokens: &Tokens<'_>, at: usize) -> Option<usize> {
    let is_verb = |word: &str| {
        matches!(word, "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "REPLACE" | "MERGE" | "VALUES" | "TABLE" | "WITH")
    };
    let start = if tokens.word(at) == "EXPLAIN" {
        (at + 1..tokens.len()).find(|index| is_verb(tokens.word(*index)))?
    } else {
        at
    };
    if tokens.word(start) != "WITH" {
        return Some(start);
    }
    let mut depth = 0_usize;
    for index in start + 1..tokens.len() {
        if tokens.is_symbol(index, b'(') {
            depth += 1;
        } else if tokens.is_symbol(index, b')') {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && tokens.is_symbol_before(index, b')') && is_verb(tokens.word(index)) {
            return Some(index);
        }
    }
    None
}
