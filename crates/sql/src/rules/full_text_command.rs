//! Commands of SQLite's full-text search: an `INSERT` into a column with the name of the table. Some of them remove rows,
//! and the command may be in a parameter.

use crate::parsing::token::{Kind, Tokens};
use tgp_base::table_name::fold_case;

/// Whether an inserted row may be such a command.
pub fn commands_search(tokens: &Tokens<'_>) -> bool {
    (0..tokens.len()).any(|index| tokens.word(index) == "INTO" && names_its_table(tokens, index + 1))
}

/// Whether the table at an index is followed by a column list with its own name, and by a possible command.
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

/// Whether a token after the columns may be a command that removes rows. A table may have a column with its own name, so other
/// literal values are not commands.
fn may_command(tokens: &Tokens<'_>, index: usize) -> bool {
    let Some(token) = tokens.get(index) else { return false };
    match token.kind {
        // A byte string is read as text.
        Kind::Text => {
            !tokens.raw(token).starts_with('\'') || REMOVING.contains(&fold_case(&tokens.unquoted(token)).as_str())
        }
        Kind::Number | Kind::Symbol(b'(' | b')' | b',') => false,
        Kind::Word => !matches!(tokens.word(index), "VALUES" | "NULL"),
        Kind::Named | Kind::Quoted | Kind::EscapeText | Kind::Next | Kind::Numbered | Kind::Symbol(_) => true,
    }
}

/// Commands that remove rows or rebuild the index.
const REMOVING: [&str; 3] = ["delete", "delete-all", "rebuild"];

/// The name at an index. SQLite accepts a string as a name where only a name is valid.
fn name(tokens: &Tokens<'_>, at: usize) -> Option<String> {
    let token = tokens.get(at)?;
    match token.kind == Kind::Text {
        true => Some(fold_case(&tokens.unquoted(token))),
        false => tokens.name(token).map(|name| fold_case(&name)),
    }
}
