//! PRAGMA statements. Each dialect has a list of those that only read.

use crate::dialects::Pragmas;
use crate::parsing::token::Tokens;
use crate::sql_error::{SqlError, refused, shortened};

/// The PRAGMAs of the statement's database.
pub fn pragmas_of(tokens: &Tokens<'_>) -> Option<&'static Pragmas> {
    tokens.dialect().pragmas(tokens.rules())
}

/// Refuses every PRAGMA that could change something or expose a host path.
pub fn check_pragma(tokens: &Tokens<'_>) -> Result<(), SqlError> {
    let Some(pragmas) = pragmas_of(tokens) else {
        let what = format!("{} has no PRAGMA", tokens.rules().name);
        return Err(refused(what, "Query the catalogue of the database instead."));
    };
    let name_at = name_at(tokens);
    let name = tokens.word(name_at);
    let bare = tokens.len() == name_at + 1;
    if pragmas.only_reads(name, (!bare).then_some("")) && (bare || tokens.is_symbol(name_at + 1, b'(')) {
        return Ok(());
    }
    Err(refused(
        format!("PRAGMA {} is not available to tools", shortened(&name.to_lowercase())),
        "Only pragmas that describe tables and indexes are accepted, such as PRAGMA table_info(name).",
    ))
}

impl Pragmas {
    /// Whether a PRAGMA with this argument only reads.
    pub fn only_reads(&self, name: &str, argument: Option<&str>) -> bool {
        has(self.reading, name) || (argument.is_none() && has(self.bare, name))
    }

    /// Whether a PRAGMA exposes rows, definitions or corruption of the table in its argument, or of all tables.
    pub fn exposes_tables(&self, name: &str) -> bool {
        has(self.reading, name) && !has(self.harmless, name)
    }

    /// Whether the argument of a PRAGMA is a table.
    pub fn takes_table(&self, name: &str) -> bool {
        has(self.of_a_table, name)
    }
}

fn has(list: &[&str], name: &str) -> bool {
    list.iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// The index of the name of a PRAGMA, which may follow a schema.
pub fn name_at(tokens: &Tokens<'_>) -> usize {
    if tokens.is_symbol(2, b'.') { 3 } else { 1 }
}
