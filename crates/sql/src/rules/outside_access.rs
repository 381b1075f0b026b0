//! Refuses functions, catalogues and settings with effects outside the transaction or the database.

use super::forbidden_names::{
    in_families, is_forbidden_function, is_forbidden_name, is_forbidden_setting, is_forbidden_view,
    is_function_by_any_name,
};
use crate::dialects::{Catalogues, Show};
use crate::parsing::token::{Kind, Tokens};
use crate::sql_error::{SqlError, refused, shortened};

pub(super) const OUTSIDE: &str = "A tool may use only its own database.";

/// Refuses forbidden functions and names.
pub fn check_outside_access(tokens: &Tokens<'_>) -> Result<(), SqlError> {
    let rules = tokens.rules();
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
        let attribute = dotted && rules.attributes_call && is_function_by_any_name(name);
        let is_of = |schema: &str| dotted && index.checked_sub(2).is_some_and(|at| is_named(tokens, at, schema));
        let shows = is_forbidden_name(name)
            || (is_of("information_schema") && is_forbidden_view(name))
            || rules.session_views.as_ref().is_some_and(|own| is_of(own.schema) && in_families(name, own.views));
        if name == CURRENT_SETTING && (called || dotted) && !names_open_setting(tokens, index) {
            return Err(secret_setting());
        }
        if shows || (called && is_forbidden_function(name)) || attribute {
            return Err(refused(format!("{} is not available to tools", shortened(&name.to_lowercase())), OUTSIDE));
        }
        if qualifies && rules.server_schemas.contains(&name) {
            return Err(refused("the server's own database is not available to tools", OUTSIDE));
        }
        if tokens.word_before(index) == "INTO" && rules.file_targets.contains(&name) {
            return Err(refused("SELECT … INTO OUTFILE writes a file of the server", OUTSIDE));
        }
    }
    Ok(())
}

fn secret_setting() -> SqlError {
    refused(
        "this setting may contain a secret",
        "Pass the value as a parameter, or ask the database owner for a view with it. Row-level security and column defaults may use it.",
    )
}

const CURRENT_SETTING: &str = "CURRENT_SETTING";

/// Whether the argument of `current_setting` is a literal, and the setting does not contain secrets.
fn names_open_setting(tokens: &Tokens<'_>, index: usize) -> bool {
    let setting =
        tokens.get(index + 2).filter(|token| token.kind == Kind::Text && tokens.raw(*token).starts_with('\''));
    let ends = [b')', b','].iter().any(|sign| tokens.is_symbol(index + 3, *sign));
    tokens.is_symbol(index + 1, b'(')
        && ends
        && setting.is_some_and(|token| !is_forbidden_setting(&tokens.unquoted(token).to_ascii_uppercase()))
}

/// Refuses the database's own tables and views in a statement that changes data: a change of them would change session settings,
/// code, names or privileges.
pub fn check_catalogues(tokens: &Tokens<'_>, catalogues: &Catalogues) -> Result<(), SqlError> {
    for (index, token) in tokens.list().iter().enumerate() {
        let Some(name) = tokens.name(*token) else { continue };
        let name = name.to_ascii_uppercase();
        let schema = catalogues.schemas.contains(&name.as_str()) && tokens.is_symbol(index + 1, b'.');
        let own = name.starts_with(catalogues.prefix)
            && !tokens.is_symbol(index + 1, b'(')
            && !tokens.is_symbol(index + 1, b'.')
            && !tokens.is_symbol_before(index, b'.');
        if schema || own {
            let what = format!(
                "{} belongs to the database itself and is not allowed in a statement that changes data",
                shortened(&name.to_lowercase())
            );
            return Err(refused(what, "Read it in a separate SELECT; write your own table with its schema."));
        }
    }
    Ok(())
}

fn is_named(tokens: &Tokens<'_>, index: usize, expected: &str) -> bool {
    let name = tokens.get(index).and_then(|token| tokens.name(token));
    name.is_some_and(|name| name.eq_ignore_ascii_case(expected))
}

/// Refuses `SHOW` of other sessions, and of settings that may contain secrets.
pub fn check_show(tokens: &Tokens<'_>, at: usize) -> Result<(), SqlError> {
    let shows = tokens.word(at) == "SHOW";
    match tokens.rules().show {
        Show::Unsupported => Ok(()),
        Show::Settings => {
            let setting = tokens.get(at + 1).and_then(|token| tokens.name(token)).unwrap_or_default();
            let secret = is_forbidden_setting(&setting.to_ascii_uppercase()) || tokens.is_symbol(at + 2, b'.');
            if shows && secret { Err(secret_setting()) } else { Ok(()) }
        }
        Show::Objects { shown, created } => {
            let words: Vec<&str> = tokens.words().skip(at).collect();
            let mut named = words.iter().skip(1).filter(|word| !matches!(**word, "FULL" | "EXTENDED")).copied();
            let (object, of) = (named.next().unwrap_or_default(), named.next().unwrap_or_default());
            let others = words.windows(2).any(|pair| pair == ["FOR", "CONNECTION"]);
            let is_shown = shown.contains(&object) && (object != "CREATE" || created.contains(&of));
            if !others && (is_shown || !shows) {
                return Ok(());
            }
            let what = format!("SHOW {} is not available to tools", shortened(object));
            Err(refused(what, "Show tables, columns, indexes, databases, or how a table was created."))
        }
    }
}
