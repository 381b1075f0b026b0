//! Parameters by position and by name, turned into the placeholders that the database knows.

use super::dialect::Dialect;
use super::sql_error::SqlError;
use super::token::{Kind, Placeholder, Token};
use serde::{Deserialize, Serialize};

/// What values came with a statement.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ParameterShape {
    /// That many, by position.
    Positional(usize),
    /// These, by name.
    Named(Vec<String>),
}

/// Which value goes into a placeholder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Binding {
    /// Counted from 0.
    Position(usize),
    Name(String),
}

/// A piece of text that is replaced.
struct Place {
    start: usize,
    end: usize,
    binding: Binding,
}

/// The text with its database's own placeholders, and what goes into them in order.
pub fn bind(
    sql: &str,
    tokens: &[Token],
    dialect: Dialect,
    shape: &ParameterShape,
) -> Result<(String, Vec<Binding>), SqlError> {
    let places = match shape {
        ParameterShape::Positional(count) => positional(tokens, dialect, *count)?,
        ParameterShape::Named(names) => named(tokens, names)?,
    };
    // An unknown dialect keeps its own spelling: the function behind it knows what `?` or `$1` means.
    if let (Dialect::Any, ParameterShape::Positional(count)) = (dialect, shape) {
        return Ok((sql.to_owned(), (0..*count).map(Binding::Position).collect()));
    }
    let mut text = String::with_capacity(sql.len() + places.len());
    let mut bindings: Vec<Binding> = Vec::new();
    let mut letters = sql.chars().enumerate();
    for Place { start, end, binding } in places {
        text.extend(letters.by_ref().take_while(|(at, _)| *at < start).map(|(_, letter)| letter));
        // `take_while` has taken the sign itself; the rest of the placeholder follows.
        letters.by_ref().take(end.saturating_sub(start + 1)).for_each(drop);
        if dialect == Dialect::Postgres {
            let number = match bindings.iter().position(|known| *known == binding) {
                Some(known) => known + 1,
                None => {
                    bindings.push(binding);
                    bindings.len()
                }
            };
            text.push_str(&format!("${number}"));
        } else {
            bindings.push(binding);
            text.push('?');
        }
    }
    text.extend(letters.map(|(_, letter)| letter));
    Ok((text, bindings))
}

fn placeholders(tokens: &[Token]) -> impl Iterator<Item = (&Token, &Placeholder)> {
    tokens.iter().filter_map(|token| match &token.kind {
        Kind::Placeholder(placeholder) => Some((token, placeholder)),
        Kind::Word(_) | Kind::Quoted(_) | Kind::Literal | Kind::EscapeString | Kind::Symbol(_) => None,
    })
}

fn positional(tokens: &[Token], dialect: Dialect, count: usize) -> Result<Vec<Place>, SqlError> {
    let numbered = placeholders(tokens).any(|(_, placeholder)| matches!(placeholder, Placeholder::Numbered(_)));
    let marks = placeholders(tokens).filter(|(_, placeholder)| **placeholder == Placeholder::Next).count();
    // In PostgreSQL `?` is an operator of jsonb, unless it can only be meant as a placeholder.
    let marks_bind = dialect != Dialect::Postgres || (!numbered && marks == count && count > 0);
    let mut places = Vec::new();
    let mut next = 0;
    let mut highest = 0;
    for (token, placeholder) in placeholders(tokens) {
        let position = match placeholder {
            Placeholder::Next if marks_bind => {
                next += 1;
                next
            }
            Placeholder::Numbered(number) => *number,
            // `a[1:n]` of PostgreSQL, a variable of MySQL, or a name without a value.
            Placeholder::Named(name) if dialect == Dialect::Sqlite => {
                return Err(SqlError::Parameters(format!(
                    "The statement has a parameter named '{name}', but the values came as a list. Pass params as an object: {{ {name}: … }}."
                )));
            }
            Placeholder::Next | Placeholder::Named(_) => continue,
        };
        highest = highest.max(position);
        let Some(index) = position.checked_sub(1).filter(|index| *index < count) else {
            return Err(SqlError::Parameters(format!(
                "The statement wants parameter {position}, but {count} came. Pass one value in params for each placeholder."
            )));
        };
        places.push(Place { start: token.start, end: token.end, binding: Binding::Position(index) });
    }
    if highest < count && dialect != Dialect::Any {
        return Err(SqlError::Parameters(format!(
            "{count} values came in params, but the statement has {highest} placeholders. Give one value for each."
        )));
    }
    Ok(places)
}

fn named(tokens: &[Token], names: &[String]) -> Result<Vec<Place>, SqlError> {
    let mut places = Vec::new();
    for (token, placeholder) in placeholders(tokens) {
        match placeholder {
            Placeholder::Named(name) if names.contains(name) => {
                places.push(Place { start: token.start, end: token.end, binding: Binding::Name(name.clone()) });
            }
            Placeholder::Named(name) => {
                return Err(SqlError::Parameters(format!(
                    "There is no value for the parameter '{name}'. Add it to params."
                )));
            }
            Placeholder::Next | Placeholder::Numbered(_) if names.is_empty() => {}
            Placeholder::Next | Placeholder::Numbered(_) => {
                return Err(SqlError::Parameters(
                    "The values came by name, but the statement has placeholders by position. Write :name for each value, or pass params as an array."
                        .to_owned(),
                ));
            }
        }
    }
    Ok(places)
}
