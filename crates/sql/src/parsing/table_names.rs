//! Table names, with the case folding of each database.

use super::token::{Kind, Token, Tokens};
use crate::dialects::{Dialect, Sequences};
use std::collections::BTreeSet;
use tgp_base::table_name::TableName;

/// Whether a rule certainly applies to a table. `found` is the case-folded name in the statement.
pub fn is_table(rule: &str, found: &str, dialect: Dialect) -> bool {
    let found = dialect.folding().fold(found, true);
    TableName::new(rule).is(&TableName::in_database(&found, dialect.default_schema()))
}

pub fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Reserved words of SQLite, PostgreSQL and MySQL. Unquoted, they are not table names.
const RESERVED: [&str; 35] = [
    "ALL",
    "AND",
    "AS",
    "CASE",
    "CHECK",
    "COLLATE",
    "CONSTRAINT",
    "CREATE",
    "DEFAULT",
    "DISTINCT",
    "ELSE",
    "EXCEPT",
    "FOREIGN",
    "FROM",
    "GROUP",
    "HAVING",
    "IN",
    "INTO",
    "IS",
    "JOIN",
    "LIMIT",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "PRIMARY",
    "REFERENCES",
    "SELECT",
    "TABLE",
    "THEN",
    "UNION",
    "UNIQUE",
    "WHEN",
    "WHERE",
];

/// Whether a word can only be a keyword. Next to a dot it can be a name in some databases.
pub fn is_keyword(tokens: &Tokens<'_>, index: usize) -> bool {
    let word = tokens.word(index);
    let dotted = tokens.is_symbol(index + 1, b'.') || tokens.is_symbol_before(index, b'.');
    !dotted && RESERVED.contains(&word)
}

/// Every name in a statement, and every prefix of dotted names. The statement cannot touch any other table by name.
pub fn mentioned_names(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let part = |at: usize| tokens.get(at).and_then(|token| part_of_name(tokens, token));
    for index in 0..tokens.len() {
        let continues = tokens.is_symbol_before(index, b'.') && index.checked_sub(2).and_then(part).is_some();
        let Some(first) = part(index).filter(|_| !continues && !is_keyword(tokens, index)) else { continue };
        let (mut name, mut at) = (first, index);
        while tokens.is_symbol(at + 1, b'.')
            && let Some(next) = part(at + 2)
        {
            let longer = format!("{name}.{next}");
            found.insert(std::mem::replace(&mut name, longer));
            at += 2;
        }
        found.insert(name);
    }
    found
}

pub(crate) fn part_of_name(tokens: &Tokens<'_>, token: Token) -> Option<String> {
    tokens.name(token).map(|name| tokens.dialect().folding().fold(&name, token.kind == Kind::Quoted))
}

/// The functions that a statement may call: names before a parenthesis and, in some dialects, the last part of dotted names.
pub fn called_functions(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let is_call = |index: usize| {
        let called = tokens.is_symbol(index + 1, b'(') && !is_keyword(tokens, index);
        called || (tokens.rules().attributes_call && tokens.is_symbol_before(index, b'.'))
    };
    let names = tokens.list().iter().enumerate().filter(|(index, _)| is_call(*index));
    let mut found: BTreeSet<String> = names.filter_map(|(_, token)| part_of_name(tokens, *token)).collect();
    if tokens.rules().sequences == Sequences::ByName && asks_for_next_value(tokens) {
        found.insert(NEXT_VALUE.to_owned());
    }
    found
}

/// The function name used for any syntax that takes the next value of a sequence.
const NEXT_VALUE: &str = "nextval";

/// Whether there is `NEXT VALUE FOR x`, `nextval(x)`, or `x.nextval` (Oracle mode of MariaDB).
fn asks_for_next_value(tokens: &Tokens<'_>) -> bool {
    tokens.list().iter().enumerate().any(|(index, token)| {
        let is_next = tokens.word(index) == "NEXT" && tokens.word(index + 1) == "VALUE";
        is_next || tokens.name(*token).is_some_and(|name| name.eq_ignore_ascii_case(NEXT_VALUE))
    })
}

/// The tables that a statement may write to: the target of `INSERT` or `REPLACE`, or else all names.
pub fn written_tables(tokens: &Tokens<'_>) -> BTreeSet<String> {
    let inserts = matches!(tokens.word(0), "INSERT" | "REPLACE");
    let modifies = |word: &str| matches!(word, "INTO" | "LOW_PRIORITY" | "DELAYED" | "HIGH_PRIORITY" | "IGNORE");
    let Some(first) = (1..tokens.len()).find(|index| !modifies(tokens.word(*index))).filter(|_| inserts) else {
        return mentioned_names(tokens);
    };
    let part = |at: usize| tokens.get(at).and_then(|token| part_of_name(tokens, token));
    let table = if tokens.is_symbol(first + 1, b'.') {
        part(first).zip(part(first + 2)).map(|(schema, table)| format!("{schema}.{table}"))
    } else {
        part(first)
    };
    table.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{is_table, mentioned_names};
    use crate::dialects::Dialect;
    use crate::parsing::tokenise::tokenise;

    #[test]
    fn names_are_compared_as_in_their_database() {
        use Dialect::{Any, Mysql, Postgres, Sqlite};
        for (rule, found, dialect, expected) in [
            ("t", "t", Postgres, true),
            ("t", "T", Postgres, false),
            ("T", "T", Postgres, true),
            ("T", "t", Postgres, true),
            ("t", "public.t", Postgres, true),
            ("public.t", "t", Postgres, true),
            ("t", "main.t", Postgres, false),
            ("t", "main.t", Sqlite, true),
            ("t", "public.t", Sqlite, false),
            ("T", "t", Sqlite, true),
            ("t", "T", Sqlite, true),
            ("t", "public.t", Mysql, false),
            ("t", "main.t", Mysql, false),
            ("t", "T", Mysql, false),
            ("t", "main.t", Any, false),
            ("sales.t", "sales.t", Mysql, true),
        ] {
            assert_eq!(is_table(rule, found, dialect), expected, "{rule} {found} {dialect:?}");
        }
        let named = |sql: &str| {
            let config = Mysql.lexer_configs(sql).next().unwrap();
            mentioned_names(&tokenise(sql, &sql.to_ascii_uppercase(), config).unwrap().unwrap())
        };
        assert!(!named("SELECT a FROM t ORDER BY a").contains("ORDER"));
        assert!(named("SELECT a FROM `order` ORDER BY a").contains("order"));
        assert!(named("SELECT a FROM shop.order").contains("shop.order"));
    }
}
