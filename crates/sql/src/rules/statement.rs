//! What a statement does, found by reading its tokens, and everything that is refused whoever asks.
//!
//! Only verbs on a list pass. What a parser could not understand is so refused as well, and no comment, quotation or
//! setting of the server can hide a second statement.

use super::near_keyword::near_keyword;
use super::outside::{OUTSIDE, check_catalogues, check_reach, check_show};
use super::policy::SqlPolicy;
use super::pragmas::check_pragma;
use super::reach::{Reach, reach};
use super::schema_change::{check_schema_change, check_select_into};
use super::search_command::commands_search;
use super::verb::{Access, Verb};
use crate::reading::dialect::{Dialect, Lexis, Reading};
use crate::reading::parameters::{Binding, ParameterShape, bind};
use crate::reading::token::Tokens;
use crate::reading::tokenise::{check_text, tokenise};
use crate::sql_error::{SqlError, refused, shortened};
use serde::Serialize;
use std::collections::BTreeSet;
use tgp_base::sql_detail::SqlDetail;

/// A statement that may run.
#[derive(Debug, Clone, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Statement {
    pub access: Access,
    pub verbs: BTreeSet<Verb>,
    pub returns: Returns,
    /// Whether the database must see to it that this only reads, because the rules tell reading from writing.
    pub fenced: bool,
    /// What the rules look at.
    #[cfg_attr(feature = "typescript", ts(type = "'nothing' | 'verbs' | 'tables'"))]
    pub detail: SqlDetail,
    /// The text with the placeholders of its database.
    pub sql: String,
    /// Which value goes into each placeholder.
    pub bindings: Vec<Binding>,
    /// What the database is asked about before it runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub reach: Option<Reach>,
}

/// What comes back from a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Returns {
    Rows,
    Count,
}

const TRANSACTION: &str = "Leave it out: where the database can, a run is one transaction, committed when the tool succeeds and rolled back when it throws.";

/// Judges a statement. The error says what to do instead.
pub fn classify(
    sql: &str,
    dialect: Dialect,
    policy: &SqlPolicy,
    parameters: &ParameterShape,
) -> Result<Statement, SqlError> {
    check_text(sql)?;
    let upper = sql.to_ascii_uppercase();
    let mut verbs = BTreeSet::new();
    let mut readings = Vec::new();
    for reading in dialect.readings(sql) {
        // Where a database would read no statement at all, nothing can happen.
        let Some(tokens) = tokenise(sql, &upper, reading)? else { continue };
        verbs.append(&mut judge(&tokens, reading.lexis, dialect, policy)?);
        policy.check_names(&tokens, reading.lexis, dialect)?;
        readings.push((tokens, reading));
    }
    let Some((tokens, reading)) = readings.first() else {
        return Err(SqlError::Unreadable(
            "The statement holds a character or a number that this database does not read. Correct it, or pass the value as a parameter."
                .to_owned(),
        ));
    };
    policy.check_verbs(&verbs)?;
    let access = verbs.iter().map(|verb| verb.access()).max().unwrap_or(Access::Schema);
    for (tokens, reading) in &readings {
        policy.check_relations(tokens, reading.lexis, dialect, access)?;
    }
    let returning = tokens.words().any(|word| word == "RETURNING");
    let returns = if access == Access::Read || returning { Returns::Rows } else { Returns::Count };
    let (bound, bindings) = bind(sql, tokens, dialect, parameters)?;
    if bound != sql && !reads_alike(tokens, &bound, *reading) {
        let advice = "Put blanks around the parameters.";
        return Err(refused("a parameter that touches its neighbours cannot be told from them", advice));
    }
    let detail = policy.detail();
    let fenced = access == Access::Read && detail >= SqlDetail::Verbs;
    let reach = reach(&readings, dialect, policy, access)?;
    Ok(Statement { access, verbs, returns, fenced, detail, sql: bound, bindings, reach })
}

/// Whether a text with other placeholders has the same tokens.
fn reads_alike(tokens: &Tokens<'_>, bound: &str, reading: Reading) -> bool {
    let upper = bound.to_ascii_uppercase();
    let Ok(Some(other)) = tokenise(bound, &upper, reading) else { return false };
    let alike = tokens.list().iter().zip(other.list()).all(|(mine, theirs)| {
        (mine.kind.is_placeholder() && theirs.kind.is_placeholder())
            || (mine.kind == theirs.kind && tokens.raw(*mine) == other.raw(*theirs))
    });
    alike && tokens.len() == other.len()
}

pub(super) fn judge(
    tokens: &Tokens<'_>,
    lexis: Lexis,
    dialect: Dialect,
    policy: &SqlPolicy,
) -> Result<BTreeSet<Verb>, SqlError> {
    if tokens.len() == 0 {
        return Err(SqlError::Unreadable("The statement is empty. Write one SQL statement.".to_owned()));
    }
    check_reach(tokens, lexis)?;
    let at = (0..tokens.len()).find(|index| !tokens.is_symbol(*index, b'(')).unwrap_or(0);
    let first = tokens.word(at);
    let verb = Verb::leading(first).ok_or_else(|| refuse_verb(first, policy))?;
    match first {
        "PRAGMA" => check_pragma(tokens)?,
        "SHOW" | "DESCRIBE" | "DESC" | "EXPLAIN" => check_show(tokens, at, lexis)?,
        _ => {}
    }
    if verb.access() == Access::Schema {
        // First, so that nobody is told how to word what is not allowed anyway.
        policy.check_verbs(&BTreeSet::from([verb]))?;
        check_schema_change(verb, tokens, dialect)?;
    }
    if first == "EXPLAIN" || first == "WITH" {
        check_inner_words(tokens, policy)?;
    }
    let mut verbs = inner_verbs(tokens, at, verb);
    if check_select_into(tokens, at, verb, lexis)? {
        verbs.insert(Verb::Create);
    }
    verbs.insert(verb);
    if lexis == Lexis::Sqlite && commands_search(tokens) {
        verbs.insert(Verb::Delete);
    }
    if lexis == Lexis::Postgres && verbs.iter().any(|verb| verb.access() != Access::Read) {
        check_catalogues(tokens)?;
    }
    Ok(verbs)
}

/// The verbs behind the first one.
fn inner_verbs(tokens: &Tokens<'_>, at: usize, leading: Verb) -> BTreeSet<Verb> {
    let defines = matches!(leading, Verb::Create | Verb::Alter);
    let mut verbs = BTreeSet::new();
    for index in at + 1..tokens.len() {
        let word = tokens.word(index);
        let Some(inner) = Verb::inner(word) else { continue };
        let before = tokens.word_before(index);
        // Functions such as replace().
        let called = tokens.is_symbol(index + 1, b'(') && matches!(word, "INSERT" | "REPLACE" | "TRUNCATE");
        // `ON DELETE CASCADE`, `CREATE OR REPLACE VIEW`.
        let clause = defines && (before == "ON" || (before == "OR" && index == at + 2));
        if !called && !clause {
            verbs.insert(inner);
        }
    }
    verbs
}

/// Behind `EXPLAIN` and `WITH` a statement of any kind may stand.
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
            refused(format!("{word} is not for tools"), TRANSACTION)
        }
        "ATTACH" | "DETACH" | "COPY" | "LOAD" | "VACUUM" | "IMPORT" | "BACKUP" | "RESTORE" => {
            refused(format!("{word} reaches outside the database"), OUTSIDE)
        }
        "" => SqlError::Unreadable(
            "The statement does not begin with a word of SQL. Begin with SELECT, INSERT, …".to_owned(),
        ),
        _ => match near_keyword(word) {
            Some(keyword) => SqlError::Unreadable(format!(
                "{} is not a word that a statement can begin with. Did you mean {keyword}?",
                shortened(word)
            )),
            None => refused(format!("{} is not for tools", shortened(word)), usable(policy)),
        },
    }
}

/// What tools may do instead.
fn usable(policy: &SqlPolicy) -> &'static str {
    if policy.only_reads() {
        "Use SELECT, WITH or EXPLAIN."
    } else if policy.ddl {
        "Use SELECT, WITH, INSERT, UPDATE, DELETE, REPLACE, MERGE, EXPLAIN, or CREATE, ALTER and DROP of tables, indexes and views."
    } else {
        "Use SELECT, WITH, INSERT, UPDATE, DELETE, REPLACE, MERGE or EXPLAIN."
    }
}

#[cfg(test)]
#[path = "statement_tests.rs"]
mod tests;
