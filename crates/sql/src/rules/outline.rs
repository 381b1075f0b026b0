//! What a statement does and to which tables, for those who judge it by rules of their own.

use super::policy::{SqlPolicy, shadow_of, shows_others};
use super::statement::judge;
use super::verb::Verb;
use crate::reading::dialect::{Dialect, Lexis};
use crate::reading::plain_text::STRING;
use crate::reading::relations::relations;
use crate::reading::table_names::{last_part, mentioned};
use crate::reading::token::Tokens;
use crate::reading::tokenise::{check_text, tokenise};
use std::collections::BTreeSet;

/// What a statement does in the database that reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub verbs: BTreeSet<Verb>,
    /// As they are looked up. Nothing where they cannot be found out.
    pub tables: Option<BTreeSet<String>>,
    /// Every name in the statement; it touches no table of another one. Empty where the tables cannot be found out.
    pub mentioned: BTreeSet<String>,
}

/// Nothing for a statement that no database of ours is given.
#[must_use]
pub fn outline(sql: &str, dialect: Dialect) -> Option<Outline> {
    check_text(sql).ok()?;
    let policy = SqlPolicy { ddl: true, ..SqlPolicy::default() };
    let upper = sql.to_ascii_uppercase();
    let mut verbs = BTreeSet::new();
    let mut tables = Some(BTreeSet::new());
    let mut names = BTreeSet::new();
    for reading in dialect.readings(sql) {
        let Some(tokens) = tokenise(sql, &upper, reading).ok()? else { continue };
        verbs.append(&mut judge(&tokens, reading.lexis, dialect, &policy).ok()?);
        // Where one reading has no answer, the others are not parsed.
        let Some(known) = &mut tables else { continue };
        let is_whole = |found: &BTreeSet<String>| {
            !found.iter().any(|name| has_string(name)) && !has_catalogue(&tokens, reading.lexis)
        };
        match relations(&tokens, reading.lexis, dialect) {
            Ok(mut found) if is_whole(&found) => {
                if reading.lexis == Lexis::Sqlite {
                    names.extend(owners(&found));
                }
                known.append(&mut found);
                names.append(&mut mentioned(&tokens, dialect));
            }
            Ok(_) | Err(_) => tables = None,
        }
    }
    let mentioned = if tables.is_some() { names } else { BTreeSet::new() };
    (!verbs.is_empty()).then_some(Outline { verbs, tables, mentioned })
}

/// Whether something in the statement shows values of tables that it does not name.
fn has_catalogue(tokens: &Tokens<'_>, lexis: Lexis) -> bool {
    tokens
        .list()
        .iter()
        .enumerate()
        .any(|(index, token)| tokens.name(*token).is_some_and(|name| shows_others(tokens, index, &name, lexis)))
}

/// The virtual tables of SQLite whose rows these tables hold.
fn owners(tables: &BTreeSet<String>) -> impl Iterator<Item = String> {
    tables.iter().filter_map(|name| shadow_of(last_part(name)).map(str::to_owned))
}

/// Whether a part of a name was a string, which some databases take for a name; it stands there without its text.
fn has_string(name: &str) -> bool {
    name.split('.').any(|part| part == STRING)
}

#[cfg(test)]
mod tests {
    use crate::reading::dialect::Dialect;
    use crate::rules::outline::Outline;
    use crate::rules::verb::Verb;

    fn outline(sql: &str) -> Option<Outline> {
        super::outline(sql, Dialect::Any)
    }

    #[test]
    fn statements_tell_their_verbs_and_tables() {
        for (sql, verbs, tables) in [
            (
                "select * from Orders o join shop.items i on true",
                vec![Verb::Select],
                Some(vec!["orders", "shop.items"]),
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
            "select * from \"sales.orders\"",
            "delete from main.\"sales.orders\"",
        ] {
            assert_eq!(outline(sql).and_then(|found| found.tables), None, "{sql}");
        }
        for sql in ["", "select 1; drop table x", "grant all on x to y", "\0"] {
            assert_eq!(outline(sql), None, "{sql}");
        }
    }

    #[test]
    fn tables_are_named_as_their_database_looks_them_up() {
        use Dialect::{Any, Mysql, Postgres, Sqlite};
        for (sql, dialect, tables) in [
            ("SELECT * FROM ONLY Orders", Postgres, vec!["orders"]),
            ("SELECT * FROM t JOIN ONLY orders ON true", Postgres, vec!["orders", "t"]),
            ("SELECT * FROM t, ONLY orders o", Postgres, vec!["orders", "t"]),
            ("UPDATE ONLY orders SET x = 1", Postgres, vec!["orders"]),
            ("DELETE FROM ONLY orders USING ONLY t", Postgres, vec!["orders", "t"]),
            ("SELECT 1 FROM t FETCH FIRST 5 ROWS ONLY", Postgres, vec!["t"]),
            ("SELECT * FROM \"T\"", Postgres, vec!["T"]),
            ("SELECT * FROM \"T\"", Sqlite, vec!["t"]),
            ("SELECT * FROM T", Mysql, vec!["T"]),
            ("UPDATE IGNORE orders SET x = 1", Mysql, vec!["orders"]),
            ("UPDATE LOW_PRIORITY IGNORE orders SET x = 1", Mysql, vec!["orders"]),
            ("DELETE LOW_PRIORITY QUICK IGNORE FROM orders", Mysql, vec!["orders"]),
            ("INSERT DELAYED IGNORE INTO orders (x) VALUES (1)", Mysql, vec!["orders"]),
            ("SELECT * FROM ONLY orders", Any, vec!["orders"]),
        ] {
            let found = super::outline(sql, dialect).unwrap_or_else(|| panic!("{sql}"));
            let named = found.tables.map(|tables| tables.into_iter().collect::<Vec<_>>());
            // Where the database is not known, one reading may not make sense of it.
            let expected = (dialect != Any).then(|| tables.iter().map(ToString::to_string).collect());
            assert_eq!(named, expected, "{sql}");
            assert!(found.mentioned.is_empty() || tables.iter().all(|table| found.mentioned.contains(*table)), "{sql}");
        }
        let found = super::outline("SELECT a.x, (SELECT 1 FROM s.b) FROM c", Postgres).unwrap();
        assert_eq!(found.mentioned.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "a.x", "c", "s", "s.b"]);
    }

    #[test]
    fn what_shows_other_tables_has_unknown_tables_and_a_shadow_names_its_owner() {
        use Dialect::{Mysql, Postgres, Sqlite};
        for (sql, dialect) in [
            ("SELECT most_common_vals FROM pg_stats", Postgres),
            ("SELECT query FROM pg_catalog.pg_cursors", Postgres),
            ("SELECT * FROM sqlite_stat4", Sqlite),
            ("SELECT * FROM sys.statement_analysis", Mysql),
        ] {
            let found = super::outline(sql, dialect);
            assert!(found.is_none_or(|found| found.tables.is_none()), "{sql}");
        }
        let found = super::outline("SELECT c0, user_data FROM Secrets_content", Sqlite).unwrap();
        assert!(found.mentioned.contains("secrets") && !found.mentioned.contains("user"));
    }

    #[test]
    fn a_command_of_full_text_search_may_remove_rows() {
        use Dialect::{Any, Postgres, Sqlite};
        for (sql, dialect, removes) in [
            ("INSERT INTO ft(ft) VALUES ('delete-all')", Sqlite, true),
            ("INSERT INTO main.[ft] AS x (rowid, 'FT') SELECT 1, 'delete'", Sqlite, true),
            ("WITH c AS (SELECT 1) REPLACE INTO \"ft\"(\"ft\") VALUES (?)", Sqlite, true),
            ("INSERT INTO ft(ft) VALUES ('delete-all')", Any, true),
            ("INSERT INTO ft(a, b) VALUES ('ft', 'ft')", Sqlite, false),
            ("INSERT INTO ft VALUES (ft)", Sqlite, false),
            ("INSERT INTO tag(tag) VALUES ('red'), (NULL)", Sqlite, false),
            ("INSERT INTO tag(tag) VALUES ('DELETE-ALL')", Sqlite, true),
            ("INSERT INTO tag(tag) VALUES ('delete' || '-all')", Sqlite, true),
            ("INSERT INTO tag(tag) VALUES (x'64656c657465')", Sqlite, true),
            ("INSERT INTO tag(tag) VALUES (?)", Sqlite, true),
            ("INSERT INTO tag(tag) VALUES ('x')", Postgres, false),
        ] {
            let verbs = super::outline(sql, dialect).unwrap_or_else(|| panic!("{sql}")).verbs;
            assert_eq!(verbs.contains(&Verb::Delete), removes, "{sql}");
        }
    }
}
