//! Classifies a statement by its tokens, and refuses what no tool may do.
//!
//! Only verbs on an allow list are accepted, so unknown syntax is refused. Comments, quotes and server settings cannot hide a
//! second statement.

use super::full_text_command::commands_search;
use super::outside_access::{OUTSIDE, check_catalogues, check_outside_access, check_show};
use super::policy::SqlPolicy;
use super::pragmas::check_pragma;
use super::reach::{Reach, reach};
use super::schema_change::{check_schema_change, check_select_into};
use super::verb::{inner, leading};
use crate::dialects::Dialect;
use crate::parsing::parameters::{Binding, ParameterShape, bind};
use crate::parsing::token::Tokens;
use crate::parsing::tokenise::{check_text, tokenise};
use crate::sql_error::{SqlError, refused, shortened};
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::spelling::edit_distance;
use tgp_base::sql_detail::SqlDetail;
use tgp_base::sql_verb::{Access, SqlVerb};

/// A statement that may run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    pub access: Access,
    pub verbs: BTreeSet<SqlVerb>,
    pub returns: Returns,
    /// Whether the database must enforce that the statement only reads, because there are rules for verbs.
    pub enforce_read_only: bool,
    /// What the rules depend on.
    #[cfg_attr(feature = "typescript", ts(type = "'nothing' | 'verbs' | 'tables'"))]
    pub detail: SqlDetail,
    /// The text with the placeholder syntax of its database.
    pub sql: String,
    /// The parameter for each placeholder.
    pub bindings: Vec<Binding>,
    /// What to verify in the database before the statement runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub reach: Option<Reach>,
}

/// Whether a statement returns rows or a count of affected rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Returns {
    Rows,
    Count,
}

const TRANSACTION: &str = "Leave it out: if the database supports it, a run is one transaction, committed when the tool succeeds and rolled back when it throws.";

/// Classifies a statement and applies the policy. An error states the alternative.
pub fn classify(
    sql: &str,
    dialect: Dialect,
    policy: &SqlPolicy,
    parameters: &ParameterShape,
) -> Result<Statement, SqlError> {
    check_text(sql)?;
    let upper = sql.to_ascii_uppercase();
    let mut verbs = BTreeSet::new();
    let mut tokenised = Vec::new();
    for config in dialect.lexer_configs(sql) {
        // Not a valid statement under this lexer configuration, so it would not be executed.
        let Some(tokens) = tokenise(sql, &upper, config)? else { continue };
        verbs.append(&mut verbs_of(&tokens, policy)?);
        policy.check_names(&tokens)?;
        tokenised.push(tokens);
    }
    let Some(tokens) = tokenised.first() else {
        return Err(SqlError::Unreadable(
            "The statement contains a character or a number that is not valid in this database. Correct it, or pass the value as a parameter."
                .to_owned(),
        ));
    };
    policy.check_verbs(&verbs)?;
    let access = verbs.iter().map(|verb| verb.access()).max().unwrap_or(Access::Schema);
    for tokens in &tokenised {
        policy.check_relations(tokens, access)?;
    }
    let returning = tokens.words().any(|word| word == "RETURNING");
    let returns = if access == Access::Read || returning { Returns::Rows } else { Returns::Count };
    let (bound, bindings) = bind(sql, tokens, parameters)?;
    if bound != sql && !reads_alike(tokens, &bound) {
        let advice = "Put spaces around the parameters.";
        return Err(refused("a parameter without spaces around it is ambiguous", advice));
    }
    let detail = policy.detail();
    let enforce_read_only = access == Access::Read && detail >= SqlDetail::Verbs;
    let reach = reach(&tokenised, policy, access)?;
    Ok(Statement { access, verbs, returns, enforce_read_only, detail, sql: bound, bindings, reach })
}

/// Whether the text after parameter binding has the same tokens, apart from the placeholders.
fn reads_alike(tokens: &Tokens<'_>, bound: &str) -> bool {
    let upper = bound.to_ascii_uppercase();
    let Ok(Some(other)) = tokenise(bound, &upper, tokens.config()) else { return false };
    let alike = tokens.list().iter().zip(other.list()).all(|(mine, theirs)| {
        (mine.kind.is_placeholder() && theirs.kind.is_placeholder())
            || (mine.kind == theirs.kind && tokens.raw(*mine) == other.raw(*theirs))
    });
    alike && tokens.len() == other.len()
}

pub(super) fn verbs_of(tokens: &Tokens<'_>, policy: &SqlPolicy) -> Result<BTreeSet<SqlVerb>, SqlError> {
    if tokens.len() == 0 {
        return Err(SqlError::Unreadable("The statement is empty. Write one SQL statement.".to_owned()));
    }
    check_outside_access(tokens)?;
    let at = (0..tokens.len()).find(|index| !tokens.is_symbol(*index, b'(')).unwrap_or(0);
    let first = tokens.word(at);
    let verb = leading(first).ok_or_else(|| refuse_verb(first, policy))?;
    match first {
        "PRAGMA" => check_pragma(tokens)?,
        "SHOW" | "DESCRIBE" | "DESC" | "EXPLAIN" => check_show(tokens, at)?,
        _ => {}
    }
    if verb.access() == Access::Schema {
        // First, so that a statement that is not allowed gets no advice about its syntax.
        policy.check_verbs(&BTreeSet::from([verb]))?;
        check_schema_change(verb, tokens)?;
    }
    if first == "EXPLAIN" || first == "WITH" {
        check_inner_words(tokens, policy)?;
    }
    let mut verbs = inner_verbs(tokens, at, verb);
    if check_select_into(tokens, at, verb)? {
        verbs.insert(SqlVerb::Create);
    }
    verbs.insert(verb);
    if tokens.rules().virtual_tables && commands_search(tokens) {
        verbs.insert(SqlVerb::Delete);
    }
    if let Some(catalogues) = &tokens.rules().catalogues
        && verbs.iter().any(|verb| verb.access() != Access::Read)
    {
        check_catalogues(tokens, catalogues)?;
    }
    Ok(verbs)
}

/// The verbs after the first one.
fn inner_verbs(tokens: &Tokens<'_>, at: usize, leading: SqlVerb) -> BTreeSet<SqlVerb> {
    let defines = matches!(leading, SqlVerb::Create | SqlVerb::Alter);
    let mut verbs = BTreeSet::new();
    for index in at + 1..tokens.len() {
        let word = tokens.word(index);
        let Some(inner) = inner(word) else { continue };
        let before = tokens.word_before(index);
        // Function calls such as `replace()`.
        let called = tokens.is_symbol(index + 1, b'(') && matches!(word, "INSERT" | "REPLACE" | "TRUNCATE");
        // `ON DELETE CASCADE`, `CREATE OR REPLACE VIEW`.
        let clause = defines && (before == "ON" || (before == "OR" && index == at + 2));
        if !called && !clause {
            verbs.insert(inner);
        }
    }
    verbs
}

/// Refuses forbidden statements after `EXPLAIN` and `WITH`.
fn check_inner_words(tokens: &Tokens<'_>, policy: &SqlPolicy) -> Result<(), SqlError> {
    let forbidden = tokens.words().find(|word| {
        matches!(*word, "EXECUTE" | "DECLARE" | "COPY" | "CALL" | "CREATE" | "ALTER" | "DROP" | "REFRESH" | "LOAD")
    });
    match forbidden {
        Some(word) => Err(refuse_verb(word, policy)),
        None => Ok(()),
    }
}

fn refuse_verb(word: &str, policy: &SqlPolicy) -> SqlError {
    match word {
        "BEGIN" | "START" | "COMMIT" | "END" | "ROLLBACK" | "ABORT" | "SAVEPOINT" | "RELEASE" | "PREPARE" | "XA" => {
            refused(format!("{word} is not available to tools"), TRANSACTION)
        }
        "ATTACH" | "DETACH" | "COPY" | "LOAD" | "VACUUM" | "IMPORT" | "BACKUP" | "RESTORE" => {
            refused(format!("{word} reaches outside the database"), OUTSIDE)
        }
        "" => SqlError::Unreadable(
            "The statement does not begin with an SQL keyword. Begin with SELECT, INSERT, …".to_owned(),
        ),
        _ => match suggest_keyword(word) {
            Some(keyword) => SqlError::Unreadable(format!(
                "{} is not a word that a statement can begin with. Did you mean {keyword}?",
                shortened(word)
            )),
            None => refused(format!("{} is not available to tools", shortened(word)), usable(policy)),
        },
    }
}

/// The statements that tools may use.
fn usable(policy: &SqlPolicy) -> &'static str {
    if policy.only_reads() {
        "Use SELECT, WITH or EXPLAIN."
    } else if policy.ddl {
        "Use SELECT, WITH, INSERT, UPDATE, DELETE, REPLACE, MERGE, EXPLAIN, or CREATE, ALTER and DROP of tables, indexes and views."
    } else {
        "Use SELECT, WITH, INSERT, UPDATE, DELETE, REPLACE, MERGE or EXPLAIN."
    }
}

/// The first keywords of statements.
const LEADING: [&str; 16] = [
    "SELECT", "WITH", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE", "VALUES", "EXPLAIN", "CREATE", "ALTER", "DROP",
    "TRUNCATE", "SHOW", "DESCRIBE", "PRAGMA",
];

/// Keywords up to this length may have one typo, longer ones two.
const SHORT: usize = 5;

/// The keyword that an upper-case word is a misspelling of, if any.
pub fn suggest_keyword(word: &str) -> Option<&'static str> {
    LEADING
        .into_iter()
        .filter(|keyword| keyword.len().abs_diff(word.len()) <= 2)
        .map(|keyword| (edit_distance(word, keyword), keyword))
        .filter(|(slips, keyword)| *slips <= if keyword.len() <= SHORT { 1 } else { 2 })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, keyword)| keyword)
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
