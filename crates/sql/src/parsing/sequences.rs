//! Sequences in calls such as `nextval`. They are relations, but the parser does not report them.

use super::table_names::part_of_name;
use super::token::{Kind, Tokens};
use crate::dialects::{Folding, Sequences};
use std::collections::BTreeSet;

/// The sequences that are read or advanced, after case folding; `None` if one cannot be determined.
pub fn sequences(tokens: &Tokens<'_>) -> Option<BTreeSet<String>> {
    let mut found = BTreeSet::new();
    for index in 0..tokens.len() {
        let called = tokens.is_symbol(index + 1, b'(') && is_sequence_function(tokens, index);
        match tokens.rules().sequences {
            Sequences::ByText if called => found.insert(named_by_text(tokens, index + 2)?),
            Sequences::ByName if called => found.insert(name_at(tokens, index + 2)?),
            Sequences::ByName if asks_for_value(tokens, index) => found.insert(name_at(tokens, index + 2)?),
            // `s.nextval`, in the Oracle mode of MariaDB.
            Sequences::ByName if tokens.is_symbol_before(index, b'.') && is_sequence_function(tokens, index) => {
                found.insert(name_before(tokens, index)?)
            }
            Sequences::None | Sequences::ByText | Sequences::ByName => false,
        };
    }
    Some(found)
}

/// Whether a token is the type in `nextval('s'::regclass)`.
pub fn is_type_of_sequence(tokens: &Tokens<'_>, index: usize) -> bool {
    index.checked_sub(5).is_some_and(|call| {
        is_sequence_function(tokens, call)
            && tokens.is_symbol(call + 1, b'(')
            && named_by_text(tokens, call + 2).is_some()
    })
}

fn is_sequence_function(tokens: &Tokens<'_>, index: usize) -> bool {
    let name = tokens.get(index).and_then(|token| tokens.name(token)).unwrap_or_default();
    ["nextval", "currval", "lastval", "setval"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// `NEXT VALUE FOR s`, `PREVIOUS VALUE FOR s`.
fn asks_for_value(tokens: &Tokens<'_>, index: usize) -> bool {
    tokens.word(index) == "VALUE"
        && tokens.word(index + 1) == "FOR"
        && matches!(tokens.word_before(index), "NEXT" | "PREVIOUS")
}

fn name_at(tokens: &Tokens<'_>, at: usize) -> Option<String> {
    let part = |at: usize| tokens.get(at).and_then(|token| part_of_name(tokens, token));
    let first = part(at)?;
    if tokens.is_symbol(at + 1, b'.') { Some(format!("{first}.{}", part(at + 2)?)) } else { Some(first) }
}

fn name_before(tokens: &Tokens<'_>, index: usize) -> Option<String> {
    let at = index.checked_sub(2)?;
    let dotted = tokens.is_symbol_before(at, b'.');
    name_at(tokens, if dotted { at.checked_sub(2)? } else { at }).map(|name| match dotted {
        true => name,
        // The last part is the function.
        false => name.rsplit_once('.').map_or(name.clone(), |(sequence, _)| sequence.to_owned()),
    })
}

/// The sequence named by a string literal, which must be the only argument, optionally with a cast to `regclass`.
fn named_by_text(tokens: &Tokens<'_>, at: usize) -> Option<String> {
    let text = tokens.get(at).filter(|token| token.kind == Kind::Text && tokens.raw(*token).starts_with('\''))?;
    let typed = tokens.is_symbol(at + 1, b':') && tokens.is_symbol(at + 2, b':') && tokens.word(at + 3) == "REGCLASS";
    let end = if typed { at + 4 } else { at + 1 };
    if !tokens.is_symbol(end, b')') {
        return None;
    }
    let text = tokens.unquoted(text);
    let parts: Option<Vec<String>> = text.split('.').map(part_of_text).collect();
    parts.map(|parts| parts.join("."))
}

/// Maximum length of a name in PostgreSQL.
const MAX_NAME_BYTES: usize = 63;

/// A part of a name in a string; `None` if it needs escapes, is a number or is too long.
fn part_of_text(part: &str) -> Option<String> {
    let quoted = part.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    let name = quoted.unwrap_or(part);
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '$';
    // A number is the OID of a relation, and the database truncates longer names.
    let begins = |letter: char| is_plain(letter) && !letter.is_ascii_digit() && letter != '$';
    let plain = !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && if quoted.is_some() {
            !name.contains(['"', '\\'])
        } else {
            name.starts_with(begins) && name.chars().all(is_plain)
        };
    plain.then(|| Folding::Unquoted.fold(name, quoted.is_some()))
}

#[cfg(test)]
mod tests {
    use super::sequences;
    use crate::dialects::Dialect::{self, Mysql, Postgres};
    use crate::parsing::tokenise::tokenise;

    fn found(sql: &str, dialect: Dialect) -> Option<Vec<String>> {
        let config = dialect.lexer_configs(sql).next().unwrap();
        let upper = sql.to_ascii_uppercase();
        let tokens = tokenise(sql, &upper, config).unwrap().unwrap();
        sequences(&tokens).map(|found| found.into_iter().collect())
    }

    #[test]
    fn a_sequence_of_postgresql_is_a_string_literal_or_unknown() {
        for (sql, name) in [
            ("SELECT nextval('s')", "s"),
            ("SELECT pg_catalog.nextval('Shop.S'::regclass)", "shop.s"),
            ("SELECT \"currval\"('\"S\"')", "S"),
            ("SELECT setval('s')", "s"),
        ] {
            assert_eq!(found(sql, Postgres), Some(vec![name.to_owned()]), "{sql}");
        }
        for sql in [
            "SELECT lastval()",
            "SELECT nextval($1)",
            "SELECT nextval('s' || 'x')",
            "SELECT nextval(E's')",
            "SELECT nextval('16391')",
            "SELECT nextval('public.16391')",
            &format!("SELECT nextval('{}')", "s".repeat(64)),
            "SELECT nextval('\"a.b\"')",
            r#"SELECT nextval('"\x73"')"#,
            "SELECT nextval('s'::text::regclass)",
            "SELECT nextval((SELECT 's'))",
        ] {
            assert_eq!(found(sql, Postgres), None, "{sql}");
        }
        assert_eq!(found("SELECT nextval, t.currval FROM t", Postgres), Some(Vec::new()));
    }

    #[test]
    fn a_sequence_of_mariadb_is_a_name() {
        for (sql, name) in [
            ("SELECT LASTVAL(s)", "s"),
            ("SELECT nextval(`shop`.s)", "shop.s"),
            ("SELECT PREVIOUS VALUE FOR shop.s", "shop.s"),
            ("SELECT NEXT VALUE FOR s", "s"),
            ("SELECT s.currval", "s"),
            ("SELECT shop.s.nextval", "shop.s"),
        ] {
            assert_eq!(found(sql, Mysql), Some(vec![name.to_owned()]), "{sql}");
        }
        assert_eq!(found("SELECT LASTVAL('s')", Mysql), None);
    }
}
