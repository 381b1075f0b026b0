//! What a statement does, found by reading its tokens, and everything that is refused whoever asks.
//!
//! Only verbs on a list pass. What a parser could not understand is so refused as well, and no comment, quotation or
//! setting of the server can hide a second statement.

use super::dialect::{Dialect, Lexis};
use super::outside::{check_pragma, check_reach};
use super::parameters::{Binding, ParameterShape, bind};
use super::policy::SqlPolicy;
use super::sql_error::SqlError;
use super::token::{Kind, Token, refused, tokenise};
pub use super::verb::Access;
use super::verb::Verb;
use serde::Serialize;
use std::collections::BTreeSet;

/// A statement that may run.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    pub access: Access,
    pub verbs: BTreeSet<Verb>,
    pub returns: Returns,
    /// The text with the placeholders of its database.
    pub sql: String,
    /// Which value goes into each placeholder.
    pub bindings: Vec<Binding>,
}

/// What comes back from a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Returns {
    Rows,
    Count,
}

const TRANSACTION: &str =
    "Each run is one transaction: it is committed when the tool succeeds and rolled back when it throws.";
const ONE: &str = "Call exec_sql once for each statement.";

/// Judges a statement. The error says what to do instead.
pub fn classify(
    sql: &str,
    dialect: Dialect,
    policy: &SqlPolicy,
    parameters: &ParameterShape,
) -> Result<Statement, SqlError> {
    let mut verbs = BTreeSet::new();
    let mut usual = None;
    for reading in dialect.readings() {
        let tokens = single(tokenise(sql, *reading)?)?;
        verbs.append(&mut judge(&tokens, reading.lexis, dialect)?);
        policy.check_names(&tokens)?;
        usual.get_or_insert(tokens);
    }
    let tokens = usual.unwrap_or_default();
    policy.check_verbs(&verbs)?;
    let access = verbs.iter().map(|verb| verb.access()).max().unwrap_or(Access::Schema);
    policy.check_relations(sql, dialect, access)?;
    let returning = tokens.iter().any(|token| matches!(word_of(token), "RETURNING" | "OUTPUT"));
    let returns = if access == Access::Read || returning { Returns::Rows } else { Returns::Count };
    let (sql, bindings) = bind(sql, &tokens, dialect, parameters)?;
    Ok(Statement { access, verbs, returns, sql, bindings })
}

/// The tokens of the one statement that there is, without its final semicolons.
fn single(mut tokens: Vec<Token>) -> Result<Vec<Token>, SqlError> {
    let is_end = |token: &Token| token.kind == Kind::Symbol(';');
    while tokens.last().is_some_and(is_end) {
        tokens.pop();
    }
    if tokens.is_empty() {
        return Err(SqlError::Unreadable("The statement is empty. Write one SQL statement.".to_owned()));
    }
    if tokens.iter().any(is_end) {
        return Err(refused("several statements at once are not accepted", ONE));
    }
    Ok(tokens)
}

fn judge(tokens: &[Token], lexis: Lexis, dialect: Dialect) -> Result<BTreeSet<Verb>, SqlError> {
    check_reach(tokens, lexis)?;
    let words: Vec<&str> = tokens.iter().map(word_of).collect();
    let first = leading_word(tokens, &words);
    let verb = Verb::leading(first).ok_or_else(|| refuse_verb(first))?;
    if first == "PRAGMA" {
        check_pragma(tokens)?;
    }
    if verb.access() == Access::Schema {
        check_schema_change(verb, &words, dialect)?;
    }
    let mut verbs = BTreeSet::from([verb]);
    for (index, word) in words.iter().enumerate().skip(1) {
        let before = index.checked_sub(1).and_then(|before| words.get(before)).copied().unwrap_or_default();
        let called = matches!(tokens.get(index + 1), Some(Token { kind: Kind::Symbol('('), .. }));
        let clause = matches!(before, "ON" | "DO" | "NO") || (before == "KEY" && *word == "UPDATE");
        match Verb::inner(word) {
            // `INSERT OR REPLACE`, `ON DELETE`, `ON DUPLICATE KEY UPDATE`, and functions such as replace().
            Some(_) if called && !matches!(*word, "UPDATE" | "DELETE" | "MERGE") => {}
            Some(_) if clause && verb.access() != Access::Read => {}
            Some(Verb::Replace) if before == "OR" => {}
            Some(inner) => {
                verbs.insert(inner);
            }
            // `SELECT … INTO t` makes a table.
            None if *word == "INTO"
                && verb == Verb::Select
                && !verbs.iter().any(|verb| verb.access() == Access::Write) =>
            {
                verbs.insert(Verb::Create);
            }
            None => {}
        }
    }
    if first == "EXPLAIN" || first == "WITH" {
        check_inner_words(&words)?;
    }
    Ok(verbs)
}

/// The first word, seen through opening parentheses.
fn leading_word<'a>(tokens: &[Token], words: &[&'a str]) -> &'a str {
    let at = tokens.iter().position(|token| token.kind != Kind::Symbol('(')).unwrap_or(0);
    words.get(at).copied().unwrap_or_default()
}

fn word_of(token: &Token) -> &str {
    match &token.kind {
        Kind::Word(word) => word,
        Kind::Quoted(_) | Kind::Literal | Kind::EscapeString | Kind::Placeholder(_) | Kind::Symbol(_) => "",
    }
}

/// Behind `EXPLAIN` and `WITH` a statement of any kind may stand.
fn check_inner_words(words: &[&str]) -> Result<(), SqlError> {
    let forbidden = words.iter().find(|word| {
        matches!(**word, "EXECUTE" | "DECLARE" | "COPY" | "CALL" | "CREATE" | "ALTER" | "DROP" | "REFRESH" | "LOAD")
    });
    match forbidden {
        Some(word) => Err(refuse_verb(word)),
        None => Ok(()),
    }
}

/// Objects that tools may make, change and drop: those that hold data and no code.
const OBJECTS: [&str; 8] = ["TABLE", "INDEX", "VIEW", "SCHEMA", "SEQUENCE", "TYPE", "DOMAIN", "STATISTICS"];
const OBJECT_ADJECTIVES: [&str; 11] = [
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

fn check_schema_change(verb: Verb, words: &[&str], dialect: Dialect) -> Result<(), SqlError> {
    let temporary = words.get(1).is_some_and(|word| *word == "TEMPORARY");
    if dialect == Dialect::Mysql && !(verb == Verb::Create && temporary) {
        return Err(refused(
            format!("MySQL commits at {}, and the run could not be rolled back any more", verb.as_str().to_uppercase()),
            "Change the schema by a migration of the application.",
        ));
    }
    if !matches!(verb, Verb::Create | Verb::Alter | Verb::Drop) {
        return Ok(());
    }
    let object = words.iter().skip(1).find(|word| !OBJECT_ADJECTIVES.contains(word)).copied().unwrap_or_default();
    if OBJECTS.contains(&object) {
        return Ok(());
    }
    let what = format!("{} {object} is not for tools", verb.as_str().to_uppercase());
    Err(refused(what, "Tools may create, alter and drop tables, indexes and views, nothing that holds code or rights."))
}

fn refuse_verb(word: &str) -> SqlError {
    match word {
        "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE" | "PREPARE" | "XA" => {
            refused(format!("{word} is not for tools"), TRANSACTION)
        }
        "ATTACH" | "DETACH" | "COPY" | "LOAD" | "VACUUM" | "IMPORT" | "BACKUP" | "RESTORE" => {
            refused(format!("{word} reaches outside the database"), "A tool may use its own database only.")
        }
        "" => SqlError::Unreadable(
            "The statement does not begin with a word of SQL. Begin with SELECT, INSERT, …".to_owned(),
        ),
        _ => refused(
            format!("{word} is not for tools"),
            "Use SELECT, WITH, INSERT, UPDATE, DELETE, REPLACE, MERGE, EXPLAIN, or CREATE, ALTER and DROP of tables, indexes and views.",
        ),
    }
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
