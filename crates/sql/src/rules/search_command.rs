//! Commands to SQLite's full-text search, which are written as an `INSERT` into a column that has the name of the table.
//! Some remove rows, and which one it is may be in a parameter.

use crate::reading::token::{Kind, Tokens};
use tgp_base::table_name::fold_case;

/// Whether a row that is inserted may be such a command.
pub fn commands_search(tokens: &Tokens<'_>) -> bool {
    (0..tokens.len()).any(|index| tokens.word(index) == "INTO" && names_its_table(tokens, index + 1))
}

/// Whether the table at a place is followed by a list of columns with its own name in it.
fn names_its_table(tokens: &Tokens<'_>, at: usize) -> bool {
    let at = if tokens.is_symbol(at + 1, b'.') { at + 2 } else { at };
    let Some(table) = name(tokens, at) else { return false };
    let open = if tokens.word(at + 1) == "AS" { at + 3 } else { at + 1 };
    if !tokens.is_symbol(open, b'(') {
        return false;
    }
    let close = (open + 1..tokens.len()).find(|index| tokens.is_symbol(*index, b')')).unwrap_or(tokens.len());
    (open + 1..close).filter_map(|index| name(tokens, index)).any(|column| column == table)
        && (close + 1..tokens.len()).any(|index| may_command(tokens, index))
}

/// Whether a token behind the columns may be, or become, a command that removes rows. A table may have a column of its own
/// name, so plain values that are not such a command do not count.
fn may_command(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(token) = tokens.get(index) else { return false };
    match token.kind {
        // Bytes are read as text.
        Kind::Text => {
            !tokens.raw(token).starts_with('\'') || REMOVING.contains(&fold_case(&tokens.unquoted(token)).as_str())
        }
        Kind::Number | Kind::Symbol(b'(' | b')' | b',') => false,
        Kind::Word => !matches!(tokens.word(index), "VALUES" | "NULL"),
        Kind::Named | Kind::Quoted | Kind::EscapeText | Kind::Next | Kind::Numbered | Kind::Symbol(_) => true,
    }
}

/// Commands that remove rows, or make the index anew of what is there.
const REMOVING: [&str; 3] = ["delete", "delete-all", "rebuild"];

/// SQLite takes a string for a name where only a name can stand.
fn name(tokens: &Tokens<'_>, at: usize) -> Option<String> {
    let token = tokens.get(at)?;
    match token.kind == Kind::Text {
        true => Some(fold_case(&tokens.unquoted(token))),
        false => tokens.name(token).map(|name| fold_case(&name)),
    }
}
