//! Binds positional and named parameters to the placeholder syntax of the database.

use super::token::{Kind, Token, Tokens};
use crate::dialects::Placeholders;
use crate::sql_error::SqlError;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};

/// The parameters passed with a statement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ParameterShape {
    /// This many values, by position.
    Positional(usize),
    /// Values with these names.
    Named(Vec<String>),
}

/// The parameter for a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(untagged)]
pub enum Binding {
    /// Counted from 0.
    Position(usize),
    Name(String),
}

/// A placeholder and its parameter.
struct BoundPlaceholder {
    token: Token,
    binding: Binding,
}

/// The text with the placeholder syntax of its database, and the parameters in order.
pub fn bind(sql: &str, tokens: &Tokens<'_>, shape: &ParameterShape) -> Result<(String, Vec<Binding>), SqlError> {
    let bound = match shape {
        ParameterShape::Positional(count) => positional(tokens, *count)?,
        ParameterShape::Named(names) => named(tokens, names)?,
    };
    let placeholders = tokens.dialect().placeholders();
    if let (Placeholders::Unchanged, ParameterShape::Positional(count)) = (placeholders, shape) {
        return Ok((sql.to_owned(), (0..*count).map(Binding::Position).collect()));
    }
    let mut text = String::with_capacity(sql.len() + bound.len());
    let mut bindings: Vec<Binding> = Vec::new();
    let mut numbers: HashMap<Binding, usize> = HashMap::new();
    let mut copied = 0;
    for BoundPlaceholder { token, binding } in bound {
        text.push_str(sql.get(copied..token.start()).unwrap_or_default());
        copied = token.end();
        if placeholders == Placeholders::Numbered {
            let number = *numbers.entry(binding).or_insert_with_key(|binding| {
                bindings.push(binding.clone());
                bindings.len()
            });
            text.push_str(&format!("${number}"));
        } else {
            bindings.push(binding);
            text.push('?');
        }
    }
    text.push_str(sql.get(copied..).unwrap_or_default());
    Ok((text, bindings))
}

fn placeholders<'t>(tokens: &'t Tokens<'_>) -> impl Iterator<Item = Token> + 't {
    tokens.list().iter().copied().filter(|token| token.kind.is_placeholder())
}

/// The limit of SQLite; the other databases accept more.
const MAX_PLACEHOLDERS: usize = 32_766;

fn positional(tokens: &Tokens<'_>, count: usize) -> Result<Vec<BoundPlaceholder>, SqlError> {
    let dialect = tokens.dialect();
    let numbered = placeholders(tokens).any(|token| token.kind == Kind::Numbered);
    let marks = placeholders(tokens).filter(|token| token.kind == Kind::Next).count();
    let marks_bind = dialect.placeholders() != Placeholders::Numbered || (!numbered && marks == count && count > 0);
    let mut bound = Vec::new();
    let mut next = 0_usize;
    let mut highest = 0;
    for token in placeholders(tokens) {
        let name = tokens.placeholder(token);
        let position = if token.kind == Kind::Numbered {
            name.parse().unwrap_or(usize::MAX)
        } else if token.kind == Kind::Next && marks_bind {
            next += 1;
            next
        } else if token.kind == Kind::Named && !dialect.slices_arrays() {
            // A name without a value, which the database would treat as NULL or as a column.
            return Err(SqlError::Parameters(format!(
                "The statement has a parameter named '{name}', but params is an array. Pass params as an object: {{ {name}: … }}."
            )));
        } else {
            // An array slice `a[1:n]`.
            continue;
        };
        highest = highest.max(position);
        let Some(index) = position.checked_sub(1).filter(|index| *index < count) else {
            return Err(SqlError::Parameters(format!(
                "The statement uses parameter {position}, but the number of values in params is {count}. Pass one value for each placeholder."
            )));
        };
        bound.push(BoundPlaceholder { token, binding: Binding::Position(index) });
    }
    if highest < count && dialect.placeholders() != Placeholders::Unchanged {
        return Err(SqlError::Parameters(format!(
            "The number of values in params is {count}, but the statement has {highest} placeholders. Pass one value for each."
        )));
    }
    check_count(bound)
}

/// Maximum number of unused names in a message.
const MAX_UNUSED: usize = 5;

/// A sentence with the unused names: one of them may be a misspelling of the missing one.
fn unused(tokens: &Tokens<'_>, names: &[String]) -> String {
    let taken: HashSet<&str> = placeholders(tokens).map(|token| tokens.placeholder(token)).collect();
    let unused = names.iter().filter(|name| !taken.contains(name.as_str())).take(MAX_UNUSED);
    let unused: Vec<String> = unused.map(|name| format!("'{name}'")).collect();
    if unused.is_empty() { String::new() } else { format!(" Not used by any placeholder: {}.", unused.join(", ")) }
}

fn named(tokens: &Tokens<'_>, names: &[String]) -> Result<Vec<BoundPlaceholder>, SqlError> {
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut bound = Vec::new();
    for token in placeholders(tokens) {
        let name = tokens.placeholder(token);
        if token.kind == Kind::Named && known.contains(name) {
            bound.push(BoundPlaceholder { token, binding: Binding::Name(name.to_owned()) });
        } else if token.kind == Kind::Named {
            return Err(SqlError::Parameters(format!(
                "There is no value for the parameter '{name}'. Add it to params.{}",
                unused(tokens, names)
            )));
        } else if !names.is_empty() {
            return Err(SqlError::Parameters(
                "params is an object, but the statement has positional placeholders. Write :name for each value, or pass params as an array."
                    .to_owned(),
            ));
        }
    }
    check_count(bound)
}

fn check_count(bound: Vec<BoundPlaceholder>) -> Result<Vec<BoundPlaceholder>, SqlError> {
    if bound.len() <= MAX_PLACEHOLDERS {
        return Ok(bound);
    }
    Err(SqlError::Parameters(format!(
        "The statement has more than {MAX_PLACEHOLDERS} placeholders. Spread the values over several statements."
    )))
}
