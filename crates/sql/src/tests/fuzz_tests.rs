//! Fuzz tests of the classifier, with SQLite as the oracle for writes.

use crate::dialects::Dialect;
use crate::parsing::parameters::ParameterShape;
use crate::rules::outline::{only_reads, outline};
use crate::rules::policy::SqlPolicy;
use crate::rules::statement::classify;
use rusqlite::Connection;
use tgp_base::sql_verb::Access;
use tgp_fuzzing::{for_all, texts};

const PIECES: &[&str] = &[
    "SELECT ",
    "* ",
    "1 ",
    "a ",
    "FROM ",
    "t ",
    "WHERE ",
    "a = 1 ",
    "WITH ",
    "c AS (",
    "RECURSIVE ",
    ") ",
    "( ",
    ", ",
    "; ",
    "INSERT ",
    "INTO ",
    "VALUES (1) ",
    "OR REPLACE ",
    "REPLACE ",
    "UPDATE ",
    "SET a = 1 ",
    "DELETE ",
    "RETURNING a ",
    "UNION ",
    "EXPLAIN ",
    "QUERY PLAN ",
    "PRAGMA ",
    "user_version ",
    "= 3 ",
    "table_info(t) ",
    "CREATE ",
    "TABLE ",
    "x (a) ",
    "DROP ",
    "ATTACH ",
    "'x' ",
    "AS y ",
    "VACUUM ",
    "REINDEX ",
    "ANALYZE ",
    "BEGIN ",
    "COMMIT ",
    "-- ",
    "/* ",
    "*/ ",
    "\n",
    "'",
    "\"",
    "`",
    "[",
    "]",
    "\\",
    "$$",
    "$a$",
    "?1 ",
    ":a ",
    "@a ",
    "#",
    "\u{feff}",
    "\u{a0}",
    "\0",
    "x'41' ",
    "e'\\'' ",
    "ON CONFLICT ",
    "DO NOTHING ",
    "DO UPDATE ",
    "CASE ",
    "WHEN ",
    "THEN ",
    "END ",
    "OVER () ",
    "ORDER BY ",
    "LIMIT ",
    "json_each('[1]') ",
    "(SELECT ",
    "NOT ",
    "EXISTS ",
];

/// Starts of statements: most other texts are refused immediately.
const HEADS: &[&str] = &[
    "",
    "SELECT ",
    "WITH c AS (SELECT 1) ",
    "WITH c AS (",
    "EXPLAIN ",
    "VALUES (",
    "PRAGMA ",
    "INSERT INTO t ",
    "-- ",
];

/// `EXPLAIN` never changes anything.
fn changes_nothing(prepared: &rusqlite::Statement<'_>) -> bool {
    prepared.readonly() || prepared.is_explain() != 0
}

#[test]
fn no_writing_statement_is_classified_as_reading() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (a); CREATE TABLE c (a)").unwrap();
    let inputs = (proptest::sample::select(HEADS), texts(PIECES, 14));
    for_all(file!(), &inputs, |(head, rest)| {
        let sql = format!("{head}{rest}");
        for dialect in [Dialect::Sqlite, Dialect::Any] {
            let policy = SqlPolicy { ddl: true, ..SqlPolicy::default() };
            let Ok(statement) = classify(&sql, dialect, &policy, &ParameterShape::Positional(0)) else { continue };
            match connection.prepare(&statement.sql) {
                Ok(prepared) => assert!(statement.access != Access::Read || changes_nothing(&prepared), "it writes"),
                Err(rusqlite::Error::MultipleStatement) => panic!("two statements"),
                Err(_) => {}
            }
            let read_only = SqlPolicy { read_only: true, ..SqlPolicy::default() };
            let read = classify(&sql, dialect, &read_only, &ParameterShape::Positional(0)).is_ok();
            assert_eq!(read, statement.access == Access::Read, "read-only refuses exactly what writes");
        }
    });
}

#[test]
fn an_outline_with_only_reads_is_of_a_statement_that_reads() {
    let connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (a); CREATE TABLE c (a)").unwrap();
    let inputs = (proptest::sample::select(HEADS), texts(PIECES, 14));
    for_all(file!(), &inputs, |(head, rest)| {
        let sql = format!("{head}{rest}");
        let outline = outline(&sql, Dialect::Any);
        let reads = outline.is_some_and(|outline| outline.verbs.iter().all(|verb| verb.access() == Access::Read));
        assert_eq!(only_reads(&sql, Dialect::Any), reads, "one meaning of reading");
        if reads {
            let prepared = connection.prepare(&sql);
            assert!(prepared.map_or(true, |prepared| changes_nothing(&prepared)), "it writes");
        }
    });
}

#[test]
fn every_repeated_piece_is_classified_in_bounded_time() {
    let policies: Vec<SqlPolicy> =
        [r#"{"allow":{"tables":["t"]}}"#, r#"{"deny":{"tables":["t","u"]}}"#, r#"{"readOnly":true}"#]
            .into_iter()
            .map(|json| SqlPolicy { ddl: true, ..serde_json::from_str(json).unwrap() })
            .collect();
    for (head, piece) in HEADS.iter().take(2).flat_map(|head| PIECES.iter().map(move |piece| (head, piece))) {
        let sql = format!("{head}{}", piece.repeat(40_000 / piece.len()));
        for dialect in [Dialect::Sqlite, Dialect::Any] {
            for policy in &policies {
                let _judged = classify(&sql, dialect, policy, &ParameterShape::Positional(0));
            }
        }
        let _outline = outline(&sql, Dialect::Any);
    }
}
