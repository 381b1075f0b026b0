//! What a statement does and to which tables, for those who judge it by rules of their own.

use super::policy::SqlPolicy;
use super::statement::judge;
use super::verb::Verb;
use crate::reading::dialect::Dialect;
use crate::reading::plain_text::STRING;
use crate::reading::relations::relations;
use crate::reading::tokenise::{check_text, tokenise};
use std::collections::BTreeSet;

/// What a statement does, whichever database reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub verbs: BTreeSet<Verb>,
    /// Nothing where they cannot be found out.
    pub tables: Option<BTreeSet<String>>,
}

/// Nothing for a statement that no database of ours is given.
#[must_use]
pub fn outline(sql: &str) -> Option<Outline> {
    check_text(sql).ok()?;
    let policy = SqlPolicy { ddl: true, ..SqlPolicy::default() };
    let upper = sql.to_ascii_uppercase();
    let mut verbs = BTreeSet::new();
    let mut tables = Some(BTreeSet::new());
    for reading in Dialect::Any.readings(sql) {
        let Some(tokens) = tokenise(sql, &upper, reading).ok()? else { continue };
        verbs.append(&mut judge(&tokens, reading.lexis, Dialect::Any, &policy).ok()?);
        match (&mut tables, relations(&tokens, reading.lexis, Dialect::Any)) {
            (Some(tables), Ok(mut found)) if !found.iter().any(|name| has_string(name)) => tables.append(&mut found),
            (_, Ok(_) | Err(_)) => tables = None,
        }
    }
    (!verbs.is_empty()).then_some(Outline { verbs, tables })
}

/// Whether a part of a name was a string, which some databases take for a name; it stands there without its text.
fn has_string(name: &str) -> bool {
    name.split('.').any(|part| part == STRING)
}

#[cfg(test)]
mod tests {
    use super::outline;
    use crate::rules::verb::Verb;

    #[test]
    fn statements_tell_their_verbs_and_tables() {
        for (sql, verbs, tables) in [
            (
                "select * from Orders o join shop.items i on true",
                vec![Verb::Select],
                Some(vec!["Orders", "shop.items"]),
            ),
            ("UPDATE orders SET x = 1", vec![Verb::Update], Some(vec!["orders"])),
            (
                "WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d",
                vec![Verb::Select, Verb::Delete],
                Some(vec!["a"]),
            ),
            ("drop table x", vec![Verb::Drop], Some(vec!["x"])),
        ] {
            let found = outline(sql).unwrap();
            assert_eq!(found.verbs.into_iter().collect::<Vec<_>>(), verbs, "{sql}");
            let named = found.tables.map(|tables| tables.into_iter().collect::<Vec<_>>());
            assert_eq!(named, tables.map(|tables| tables.into_iter().map(str::to_owned).collect()), "{sql}");
        }
        for sql in [
            "select * from 'orders'",
            "select * from main.'orders'",
            "select * from 'main'.'orders'",
            "select 1 from a join 'orders' on 1",
            "insert into 'orders' values (1)",
            "update 'orders' set x = 1",
            "delete from 'orders'",
            "select 1 union select * from ('orders')",
        ] {
            assert_eq!(outline(sql).and_then(|found| found.tables), None, "{sql}");
        }
        for sql in ["", "select 1; drop table x", "grant all on x to y", "\0"] {
            assert_eq!(outline(sql), None, "{sql}");
        }
    }
}
