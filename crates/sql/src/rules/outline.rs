//! The verbs and tables of a statement, for the policy of the kernel.

use super::policy::{SqlPolicy, is_exposing_name, shadow_of};
use super::statement::verbs_of;
use crate::dialects::Dialect;
use crate::parsing::plain_text::STRING;
use crate::parsing::relations::relations;
use crate::parsing::table_names::{last_part, mentioned_names};
use crate::parsing::token::Tokens;
use crate::parsing::tokenise::{check_text, tokenise};
use std::collections::BTreeSet;
use tgp_base::sql_verb::{Access, SqlVerb};

/// Verbs, tables and names of a statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline {
    pub verbs: BTreeSet<SqlVerb>,
    /// Case-folded table names; `None` if they cannot be determined.
    pub tables: Option<BTreeSet<String>>,
    /// Every name in the statement, which cannot touch any other table. Empty if the tables cannot be determined.
    pub mentioned: BTreeSet<String>,
}

/// The outline of a statement; `None` if it is refused in every database.
#[must_use]
pub fn outline(sql: &str, dialect: Dialect) -> Option<Outline> {
    let mut tables = Some(BTreeSet::new());
    let mut names = BTreeSet::new();
    let verbs = verbs(sql, dialect, |tokens| {
        // If one lexer configuration has no result, the others are not parsed.
        let Some(known) = &mut tables else { return };
        let is_whole = |found: &BTreeSet<String>| !found.iter().any(|name| has_string(name)) && !has_catalogue(tokens);
        match relations(tokens) {
            Ok(mut found) if is_whole(&found) => {
                if tokens.rules().virtual_tables {
                    names.extend(owners(&found));
                }
                known.append(&mut found);
                names.append(&mut mentioned_names(tokens));
            }
            Ok(_) | Err(_) => tables = None,
        }
    })?;
    let mentioned = if tables.is_some() { names } else { BTreeSet::new() };
    Some(Outline { verbs, tables, mentioned })
}

/// Whether a statement only reads, under every lexer configuration of its database. A statement that is refused in every
/// database does not count as reading.
#[must_use]
pub fn only_reads(sql: &str, dialect: Dialect) -> bool {
    verbs(sql, dialect, |_| {}).is_some_and(|verbs| verbs.iter().all(|verb| verb.access() == Access::Read))
}

/// The verbs of a statement under every lexer configuration of its database, whose tokens `read` gets; `None` if the
/// statement is refused in every database.
fn verbs(sql: &str, dialect: Dialect, mut read: impl FnMut(&Tokens<'_>)) -> Option<BTreeSet<SqlVerb>> {
    check_text(sql).ok()?;
    let policy = SqlPolicy { ddl: true, ..SqlPolicy::default() };
    let upper = sql.to_ascii_uppercase();
    let mut verbs = BTreeSet::new();
    for config in dialect.lexer_configs(sql) {
        let Some(tokens) = tokenise(sql, &upper, config).ok()? else { continue };
        verbs.append(&mut verbs_of(&tokens, &policy).ok()?);
        read(&tokens);
    }
    (!verbs.is_empty()).then_some(verbs)
}

/// Whether the statement uses a catalogue that exposes tables which it does not name.
fn has_catalogue(tokens: &Tokens<'_>) -> bool {
    tokens
        .list()
        .iter()
        .enumerate()
        .any(|(index, token)| tokens.name(*token).is_some_and(|name| is_exposing_name(tokens, index, &name)))
}

/// The virtual tables that these shadow tables belong to.
fn owners(tables: &BTreeSet<String>) -> impl Iterator<Item = String> {
    tables.iter().filter_map(|name| shadow_of(last_part(name)).map(str::to_owned))
}

/// Whether a part of a name was a string, which some databases accept as a name. Its text has been replaced.
fn has_string(name: &str) -> bool {
    name.split('.').any(|part| part == STRING)
}

#[cfg(test)]
mod tests {
    use crate::dialects::Dialect;
    use crate::rules::outline::Outline;
    use tgp_base::sql_verb::SqlVerb;

    fn outline(sql: &str) -> Option<Outline> {
        super::outline(sql, Dialect::Any)
    }

    #[test]
    fn the_outline_has_verbs_and_tables() {
        for (sql, verbs, tables) in [
            (
                "select * from Orders o join shop.items i on true",
                vec![SqlVerb::Select],
                Some(vec!["orders", "shop.items"]),
            ),
            ("UPDATE orders SET x = 1", vec![SqlVerb::Update], Some(vec!["orders"])),
            (
                "WITH d AS (DELETE FROM a RETURNING *) SELECT * FROM d",
                vec![SqlVerb::Select, SqlVerb::Delete],
                Some(vec!["a"]),
            ),
            ("drop table x", vec![SqlVerb::Drop], Some(vec!["x"])),
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
    fn a_statement_that_may_write_does_not_count_as_reading() {
        use Dialect::{Any, Mysql, Postgres, Sqlite};
        for (sql, dialect, reads) in [
            ("\n SELECT 1", Any, true),
            ("select a from b where c = 'delete from d'", Any, true),
            ("/* x */ SELECT 1", Postgres, true),
            ("WITH a AS (SELECT 1) SELECT * FROM a", Sqlite, true),
            ("SHOW TABLES", Mysql, true),
            ("WITH a AS (DELETE FROM b RETURNING *) SELECT * FROM a", Postgres, false),
            ("SELECT * INTO c FROM b", Postgres, false),
            ("SELECT 1; DROP TABLE b", Any, false),
            ("SELECT 1 /*! ; DELETE FROM b */", Mysql, false),
            ("selected", Any, false),
            ("INSERT INTO a VALUES (1)", Any, false),
            ("", Any, false),
        ] {
            assert_eq!(super::only_reads(sql, dialect), reads, "{sql}");
        }
    }

    #[test]
    fn table_names_are_folded_as_in_their_database() {
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
            // For an unknown database, one of the lexer configurations may not parse it.
            let expected = (dialect != Any).then(|| tables.iter().map(ToString::to_string).collect());
            assert_eq!(named, expected, "{sql}");
            assert!(found.mentioned.is_empty() || tables.iter().all(|table| found.mentioned.contains(*table)), "{sql}");
        }
        let found = super::outline("SELECT a.x, (SELECT 1 FROM s.b) FROM c", Postgres).unwrap();
        assert_eq!(found.mentioned.iter().map(String::as_str).collect::<Vec<_>>(), ["a", "a.x", "c", "s", "s.b"]);
    }

    #[test]
    fn a_catalogue_makes_the_tables_unknown_and_a_shadow_table_mentions_its_owner() {
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
    fn a_full_text_search_command_counts_as_delete() {
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
            assert_eq!(verbs.contains(&SqlVerb::Delete), removes, "{sql}");
        }
    }
}
