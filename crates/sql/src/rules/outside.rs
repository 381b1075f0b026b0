//! What reaches out of the transaction or out of the database, beyond the verbs that are refused anyway.

use super::forbidden_names::{
    is_forbidden_function, is_forbidden_in_sys, is_forbidden_name, is_forbidden_setting, is_forbidden_view,
    is_function_by_any_name, is_server_schema,
};
use crate::reading::dialect::Lexis;
use crate::reading::token::{Kind, Tokens};
use crate::sql_error::{SqlError, refused, shortened};

pub(super) const OUTSIDE: &str = "A tool may use its own database only.";

/// Refuses calls and names that reach outside.
pub fn check_reach(tokens: &Tokens<'_>, lexis: Lexis) -> Result<(), SqlError> {
    for (index, token) in tokens.list().iter().enumerate() {
        if !token.kind.is_name() {
            continue;
        }
        let called = tokens.is_symbol(index + 1, b'(');
        let dotted = tokens.is_symbol_before(index, b'.');
        let qualifies = tokens.is_symbol(index + 1, b'.');
        let name = match token.kind == Kind::Quoted {
            true => tokens.unquoted(*token).to_ascii_uppercase(),
            false => tokens.word(index).to_owned(),
        };
        let name = name.as_str();
        // PostgreSQL takes `(argument).function` for a call.
        let attribute = dotted && lexis == Lexis::Postgres && is_function_by_any_name(name);
        let is_of = |schema: &str| dotted && index.checked_sub(2).is_some_and(|at| is_named(tokens, at, schema));
        let shows = is_forbidden_name(name)
            || (is_of("information_schema") && is_forbidden_view(name))
            || (lexis == Lexis::Mysql && is_of("sys") && is_forbidden_in_sys(name));
        if name == CURRENT_SETTING && (called || dotted) && !names_open_setting(tokens, index) {
            return Err(secret_setting());
        }
        if shows || (called && is_forbidden_function(name)) || attribute {
            return Err(refused(format!("{} is not for tools", shortened(&name.to_lowercase())), OUTSIDE));
        }
        if qualifies && lexis == Lexis::Mysql && is_server_schema(name) {
            return Err(refused("the server's own database is not for tools", OUTSIDE));
        }
        if lexis == Lexis::Mysql && tokens.word_before(index) == "INTO" && matches!(name, "OUTFILE" | "DUMPFILE") {
            return Err(refused("SELECT … INTO OUTFILE writes a file of the server", OUTSIDE));
        }
    }
    Ok(())
}

fn secret_setting() -> SqlError {
    refused(
        "this setting may hold a secret",
        "Pass the value as a parameter, or have the owner of the database show it by a view; row-level security and defaults may use it as they do.",
    )
}

const CURRENT_SETTING: &str = "CURRENT_SETTING";

/// Whether the setting that a function of PostgreSQL is asked for stands there, and holds no secret.
fn names_open_setting(tokens: &Tokens<'_>, index: usize) -> bool {
    let setting =
        tokens.get(index + 2).filter(|token| token.kind == Kind::Text && tokens.raw(*token).starts_with('\''));
    let ends = [b')', b','].iter().any(|sign| tokens.is_symbol(index + 3, *sign));
    tokens.is_symbol(index + 1, b'(')
        && ends
        && setting.is_some_and(|token| !is_forbidden_setting(&tokens.unquoted(token).to_ascii_uppercase()))
}

/// Refuses PostgreSQL's own tables and views in a statement that changes something: to change them is to change settings of
/// the session, code, names and rights.
pub fn check_catalogues(tokens: &Tokens<'_>) -> Result<(), SqlError> {
    for (index, token) in tokens.list().iter().enumerate() {
        let Some(name) = tokens.name(*token) else { continue };
        let name = name.to_ascii_uppercase();
        let schema = matches!(name.as_str(), "PG_CATALOG" | "INFORMATION_SCHEMA") && tokens.is_symbol(index + 1, b'.');
        let own = name.starts_with("PG_")
            && !tokens.is_symbol(index + 1, b'(')
            && !tokens.is_symbol(index + 1, b'.')
            && !tokens.is_symbol_before(index, b'.');
        if schema || own {
            let what = format!(
                "{} belongs to the database itself, which a statement that changes something may not name",
                shortened(&name.to_lowercase())
            );
            return Err(refused(what, "Read it with a SELECT of its own; name a table of yours with its schema."));
        }
    }
    Ok(())
}

fn is_named(tokens: &Tokens<'_>, index: usize, expected: &str) -> bool {
    let name = tokens.get(index).and_then(|token| tokens.name(token));
    name.is_some_and(|name| name.eq_ignore_ascii_case(expected))
}

/// What MySQL shows of tables and of itself without telling what others do. Warnings and errors may be of the statement
/// before, which was another session's.
const SHOWN: [&str; 12] = [
    "TABLES",
    "COLUMNS",
    "FIELDS",
    "INDEX",
    "INDEXES",
    "KEYS",
    "CREATE",
    "TABLE",
    "DATABASES",
    "SCHEMAS",
    "COLLATION",
    "CHARACTER",
];

/// Whose definition is shown: what holds neither code nor passwords.
const DEFINED: [&str; 5] = ["TABLE", "VIEW", "SEQUENCE", "DATABASE", "SCHEMA"];

/// Refuses to show what other sessions do, and settings that may hold secrets.
pub fn check_show(tokens: &Tokens<'_>, at: usize, lexis: Lexis) -> Result<(), SqlError> {
    if lexis == Lexis::Postgres && tokens.word(at) == "SHOW" {
        let setting = tokens.get(at + 1).and_then(|token| tokens.name(token)).unwrap_or_default().to_ascii_uppercase();
        if is_forbidden_setting(&setting) || tokens.is_symbol(at + 2, b'.') {
            return Err(secret_setting());
        }
    }
    if lexis != Lexis::Mysql {
        return Ok(());
    }
    let words: Vec<&str> = tokens.words().skip(at).collect();
    let mut named = words.iter().skip(1).filter(|word| !matches!(**word, "FULL" | "EXTENDED")).copied();
    let (shown, of) = (named.next().unwrap_or_default(), named.next().unwrap_or_default());
    let others = words.windows(2).any(|pair| pair == ["FOR", "CONNECTION"]);
    let is_shown = SHOWN.contains(&shown) && (shown != "CREATE" || DEFINED.contains(&of));
    if others || (tokens.word(at) == "SHOW" && !is_shown) {
        let what = format!("SHOW {} is not for tools", shortened(shown));
        return Err(refused(what, "Show tables, columns, indexes, databases, or how a table was created."));
    }
    Ok(())
}
