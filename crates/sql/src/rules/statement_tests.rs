use super::{Access, Returns, classify, suggest_keyword};
use crate::dialects::Dialect::{self, Any, Mysql, Postgres, Sqlite};
use crate::parsing::parameters::{Binding, ParameterShape};
use crate::rules::policy::SqlPolicy;
use crate::sql_error::SqlError;
use tgp_base::error::{ErrorCode, PartError};

/// The most permissive policy.
fn open() -> SqlPolicy {
    SqlPolicy { ddl: true, ..SqlPolicy::default() }
}

fn judge(sql: &str, dialect: Dialect) -> Result<super::Statement, SqlError> {
    classify(sql, dialect, &open(), &ParameterShape::Positional(0))
}

fn access(sql: &str, dialect: Dialect) -> Access {
    judge(sql, dialect).unwrap_or_else(|error| panic!("{sql}: {error}")).access
}

fn is_refused(sql: &str, dialect: Dialect) -> bool {
    matches!(judge(sql, dialect), Err(SqlError::Refused { .. }))
}

#[test]
fn ordinary_statements_pass_with_their_access() {
    for dialect in [Sqlite, Postgres, Mysql, Any] {
        for (sql, wanted) in [
            ("SELECT 1", Access::Read),
            ("  select * from t where a = 'it''s; fine' -- commit;\n", Access::Read),
            ("/* rollback; */ SELECT 1;", Access::Read),
            ("SELECT replace(a, 'x', 'y') FROM t", Access::Read),
            ("WITH a AS (SELECT 1) SELECT * FROM a", Access::Read),
            ("VALUES (1), (2)", Access::Read),
            ("(SELECT 1) UNION (SELECT 2)", Access::Read),
            ("EXPLAIN SELECT 1", Access::Read),
            ("INSERT INTO t (a) VALUES (1)", Access::Write),
            ("UPDATE t SET a = 1 WHERE id = 2", Access::Write),
            ("DELETE FROM t", Access::Write),
            ("SELECT * FROM t FOR UPDATE", Access::Write),
        ] {
            assert_eq!(access(sql, dialect), wanted, "{dialect:?}: {sql}");
        }
    }
    assert_eq!(access("WITH gone AS (DELETE FROM t RETURNING *) SELECT * FROM gone", Postgres), Access::Write);
    assert_eq!(access("EXPLAIN ANALYZE DELETE FROM t", Postgres), Access::Write);
    assert_eq!(access("SELECT * INTO copy FROM t", Postgres), Access::Schema);
    assert_eq!(access("CREATE TABLE t (a INT REFERENCES b ON DELETE CASCADE)", Sqlite), Access::Schema);
    assert_eq!(access("INSERT OR REPLACE INTO t VALUES (1)", Sqlite), Access::Write);
    assert_eq!(access("PRAGMA table_info(t)", Sqlite), Access::Read);
    assert_eq!(judge("INSERT INTO t VALUES (1) RETURNING id", Postgres).unwrap().returns, Returns::Rows);
    assert_eq!(judge("INSERT INTO t VALUES (1)", Postgres).unwrap().returns, Returns::Count);
}

#[test]
fn hidden_transaction_control_is_refused() {
    for sql in [
        "COMMIT",
        "commit;",
        "BEGIN",
        "ROLLBACK",
        "END",
        "SAVEPOINT a",
        "RELEASE a",
        "ABORT",
        "START TRANSACTION",
        "PREPARE TRANSACTION 'x'",
        "/* SELECT */ COMMIT",
        "-- SELECT\nCOMMIT",
        "SELECT 1; COMMIT",
        "SELECT 1;\n/**/COMMIT;",
        "SELECT ';'; COMMIT",
        "SELECT \";\"; ROLLBACK",
        "INSERT INTO t VALUES ('a'); DROP TABLE t; --",
        ";COMMIT",
    ] {
        for dialect in [Sqlite, Postgres, Mysql, Any] {
            assert!(is_refused(sql, dialect), "{dialect:?}: {sql}");
        }
    }
    for (sql, dialect) in [
        // Comments nest in PostgreSQL only.
        ("SELECT 1 /* /* */ ; COMMIT -- */", Sqlite),
        ("SELECT 1 /* /* */ */ ; COMMIT", Postgres),
        // Whether a backslash escapes in MySQL is a server setting; both interpretations must be safe.
        (r"SELECT '\'; COMMIT; -- '", Mysql),
        (r"SELECT '\\'; COMMIT", Mysql),
        (r"SELECT E'\''; COMMIT; --'", Postgres),
        ("SELECT E'a'\n'\\'; COMMIT; --'", Postgres),
        ("SELECT $$a$$; COMMIT", Postgres),
        ("SELECT $a$ $b$; $a$; COMMIT", Postgres),
        ("SELECT 1 # a\n; COMMIT", Mysql),
        ("SELECT 1 --\u{a0}x\n; COMMIT", Mysql),
        ("SELECT 5--1; COMMIT", Mysql),
        ("/*! COMMIT */", Mysql),
        ("SELECT 1 /*M!100100 INTO OUTFILE 'x' */", Mysql),
        ("SELECT [a;b]; COMMIT", Sqlite),
        ("SELECT `a``;`; COMMIT", Mysql),
        ("SELECT 1\0; COMMIT", Sqlite),
    ] {
        assert!(is_refused(sql, dialect), "{dialect:?}: {sql}");
    }
    // Not a second statement.
    for (sql, dialect) in [
        ("SELECT /* /* ; */ ; */ 1", Postgres),
        ("SELECT $$; COMMIT$$", Postgres),
        ("SELECT $x$ $$; COMMIT $x$", Postgres),
        (r"SELECT E'\'; COMMIT'", Postgres),
        (r"SELECT '\' AS a", Postgres),
        ("SELECT [a;b] FROM t", Sqlite),
        ("SELECT a$b$c FROM t", Postgres),
    ] {
        assert!(judge(sql, dialect).is_ok(), "{dialect:?}: {sql}");
    }
}

#[test]
fn a_pragma_is_judged_by_the_rules_of_its_dialect() {
    for dialect in [Sqlite, Any] {
        assert!(judge("PRAGMA table_info(t)", dialect).is_ok(), "{dialect:?}");
        assert!(judge("PRAGMA writable_schema(1)", dialect).is_err(), "{dialect:?}");
    }
    for (dialect, name) in [(Postgres, "PostgreSQL"), (Mysql, "MySQL")] {
        let message = judge("PRAGMA table_info(t)", dialect).unwrap_err().to_string();
        assert!(message.starts_with(&format!("Security Violation: {name} has no PRAGMA")), "{message}");
    }
}

#[test]
fn access_outside_the_database_is_refused() {
    for (sql, dialect) in [
        ("ATTACH DATABASE '/etc/passwd' AS x", Sqlite),
        ("DETACH x", Sqlite),
        ("PRAGMA journal_mode = DELETE", Sqlite),
        ("PRAGMA writable_schema(1)", Sqlite),
        ("PRAGMA database_list", Sqlite),
        ("SELECT * FROM pragma_database_list", Sqlite),
        ("SELECT load_extension('x')", Sqlite),
        ("SELECT \"load_extension\" /* */ ('x')", Sqlite),
        ("VACUUM INTO '/tmp/x'", Sqlite),
        ("CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END", Sqlite),
        ("CREATE VIRTUAL TABLE t USING fts5(a)", Sqlite),
        ("COPY t FROM PROGRAM 'id'", Postgres),
        ("COPY t TO '/tmp/x'", Postgres),
        ("SELECT pg_read_file('/etc/passwd')", Postgres),
        ("SELECT pg_catalog.\"pg_read_file\"('/etc/passwd')", Postgres),
        ("SELECT U&\"pg\\005fread_file\"('/etc/passwd')", Postgres),
        ("SELECT lo_import('/etc/passwd')", Postgres),
        ("SELECT * FROM dblink('host=x', 'select 1')", Postgres),
        ("SELECT query_to_xml('select 1', true, true, '')", Postgres),
        ("SELECT set_config('statement_timeout', '0', false)", Postgres),
        ("SELECT pg_advisory_lock(1)", Postgres),
        ("SET ROLE postgres", Postgres),
        ("SET SESSION AUTHORIZATION postgres", Postgres),
        ("RESET ALL", Postgres),
        ("DO $$ BEGIN COMMIT; END $$", Postgres),
        ("CALL p()", Postgres),
        ("LISTEN x", Postgres),
        ("LOCK TABLE t", Postgres),
        ("EXECUTE x", Postgres),
        ("EXPLAIN ANALYZE EXECUTE x", Postgres),
        ("CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'select 1'", Postgres),
        ("CREATE EXTENSION dblink", Postgres),
        ("ALTER SYSTEM SET x = 1", Postgres),
        ("ALTER ROLE a SUPERUSER", Postgres),
        ("GRANT ALL ON t TO public", Postgres),
        ("LOAD DATA INFILE 'x' INTO TABLE t", Mysql),
        ("SELECT 1 INTO OUTFILE '/tmp/x'", Mysql),
        ("SELECT 1 INTO /* */ DUMPFILE '/tmp/x'", Mysql),
        ("SELECT LOAD_FILE('/etc/passwd')", Mysql),
        ("SELECT GET_LOCK('a', 1)", Mysql),
        ("SET GLOBAL general_log = 1", Mysql),
        ("PREPARE s FROM 'COMMIT'", Mysql),
        ("LOCK TABLES t WRITE", Mysql),
        ("CREATE TABLE t (a INT)", Mysql),
        ("TRUNCATE t", Mysql),
        ("HANDLER t OPEN", Mysql),
        ("USE mysql", Mysql),
    ] {
        assert!(is_refused(sql, dialect), "{dialect:?}: {sql}");
        assert!(
            is_refused(sql, Any)
                || !is_refused(sql, dialect)
                || sql.starts_with("CREATE TABLE")
                || sql.starts_with("TRUNCATE"),
            "any: {sql}"
        );
    }
}

#[test]
fn text_that_databases_read_differently_is_refused() {
    for (sql, dialect) in [
        // Tcl syntax for parameters in SQLite.
        ("WITH c AS (SELECT $::a(')) DELETE FROM t -- '))", Sqlite),
        ("SELECT $a(')--')", Sqlite),
        ("SELECT @a::b(1)", Sqlite),
        ("SELECT :::a", Sqlite),
        ("SELECT :1", Sqlite),
        ("WITH c AS (SELECT #p [ ' ]) DELETE FROM t -- '", Sqlite),
        ("WITH c AS (SELECT #p [ ' ]) DELETE FROM t -- '", Any),
        ("SELECT #::a(')--')", Any),
        // Characters that look like spaces and are not, and vice versa.
        ("WITH c AS (SELECT 1) DELETE\u{feff}FROM t", Sqlite),
        ("SELECT\u{a0}1", Mysql),
        ("SELECT\u{2003}1", Postgres),
        ("SELECT\u{b}1", Postgres),
        ("SELECT \u{200b}a FROM t", Any),
        // Numbers and parameters directly before a word.
        ("SELECT 1E'\\'; COMMIT --'", Postgres),
        ("SELECT $1E'\\'; COMMIT --'", Postgres),
        ("SELECT 1UNION SELECT 2", Postgres),
        ("SELECT 1e5UNION SELECT 2", Mysql),
        ("SELECT 1.5UNION SELECT 2", Mysql),
        // Names that are truncated.
        (&format!("SELECT * FROM {}", "a".repeat(64)), Postgres),
        (&format!("SELECT * FROM \"{}\"", "a".repeat(64)), Postgres),
        // Session variables and hints.
        ("SELECT @a := 1", Mysql),
        ("SELECT 1 INTO @a", Mysql),
        ("SELECT /*+ SET_VAR(sql_mode='') */ 1", Mysql),
        ("SELECT {d '2024-01-01'}", Mysql),
        ("SELECT \\N", Mysql),
    ] {
        assert!(is_refused(sql, dialect), "{dialect:?}: {sql}");
    }
    // Text that the database does not accept is an error of the statement.
    for (sql, dialect) in [
        ("SELECT #", Sqlite),
        ("SELECT 1a", Sqlite),
        ("SELECT x'4'", Sqlite),
        ("SELECT a::text", Sqlite),
        ("SELECT {", Postgres),
        ("SELECT $ 1", Postgres),
    ] {
        assert!(matches!(judge(sql, dialect), Err(SqlError::Unreadable(_))), "{dialect:?}: {sql}");
    }
    // For an unknown dialect, it suffices that the text is valid in one database.
    for sql in [
        "SELECT a::text FROM t",
        "SELECT '{}'::jsonb #> '{a}'",
        "SELECT ARRAY[1, 2]",
        "SELECT 1 ^ 2",
        "SELECT a FROM t WHERE b @> c",
    ] {
        assert_eq!(access(sql, Any), Access::Read, "{sql}");
    }
    assert!(is_refused("DELETE FROM t; SELECT a::text", Any));
    // In MySQL a name may begin with digits.
    let denied = SqlPolicy { deny: serde_json::from_str(r#"{"tables":["2024_sales"]}"#).unwrap(), ..open() };
    for sql in ["SELECT * FROM 2024_sales", "SELECT * FROM shop.2024_sales"] {
        assert!(classify(sql, Mysql, &denied, &ParameterShape::Positional(0)).is_err(), "{sql}");
        assert_eq!(access(sql, Mysql), Access::Read);
    }
}

#[test]
fn long_and_deep_statements_are_classified_quickly() {
    let allowed = SqlPolicy { allow: serde_json::from_str(r#"{"tables":["t"]}"#).unwrap(), ..open() };
    let started = std::time::Instant::now();
    for piece in [
        "(",
        "NOT ",
        "CASE WHEN ",
        "-",
        "- ",
        "'a'",
        "a.",
        "a,",
        "[1]",
        "$1",
        "?",
        "/*",
        "a(",
        "\"a\"",
        "EXPLAIN ",
        "WITH a AS (",
        "(SELECT ",
    ] {
        for length in [2_000, 9_000, 1 << 20] {
            let sql = format!("SELECT {}", piece.repeat(length / piece.len()));
            for dialect in [Sqlite, Postgres, Mysql, Any] {
                let _any = classify(&sql, dialect, &allowed, &ParameterShape::Positional(0));
            }
        }
    }
    assert!(started.elapsed().as_secs() < 120, "took {:?}", started.elapsed());
}

#[test]
fn unreadable_text_is_an_error() {
    for sql in ["", " ; ", "-- only a comment", "SELECT 'open", "SELECT /* open", "SELECT \"open"] {
        assert!(matches!(judge(sql, Sqlite), Err(SqlError::Unreadable(_))), "{sql}");
    }
    assert!(judge("SELECT $a$ open", Postgres).is_err());
    assert!(judge(&"x".repeat(2_000_000), Sqlite).is_err());
    // Random text must not cause a panic.
    for seed in 0..2_000_u32 {
        let letters: Vec<char> = "'\"`$[]();-/*!#\\ \nEU&aA1?:@.\0é".chars().collect();
        let text: String = (0..40_u32)
            .map(|at| {
                letters[(seed.wrapping_mul(2_654_435_761).wrapping_add(at.wrapping_mul(40_503) ^ (seed >> (at % 13))))
                    as usize
                    % letters.len()]
            })
            .collect();
        for dialect in [Sqlite, Postgres, Mysql, Any] {
            let _any = judge(&text, dialect);
        }
    }
}

#[test]
fn parameters_get_the_placeholder_syntax_of_the_database() {
    let bound = |sql: &str, dialect, shape: ParameterShape| {
        let statement = classify(sql, dialect, &open(), &shape).unwrap_or_else(|error| panic!("{sql}: {error}"));
        (statement.sql, statement.bindings)
    };
    let named = |names: &[&str]| ParameterShape::Named(names.iter().map(|name| (*name).to_owned()).collect());
    let (sql, bindings) = bound("SELECT :a, '?:b', :b, :a::text", Postgres, named(&["a", "b"]));
    assert_eq!(sql, "SELECT $1, '?:b', $2, $1::text");
    assert_eq!(bindings, [Binding::Name("a".to_owned()), Binding::Name("b".to_owned())]);
    let (sql, bindings) = bound("SELECT @a, :b, $a -- ?", Sqlite, named(&["a", "b"]));
    assert_eq!(sql, "SELECT ?, ?, ? -- ?");
    assert_eq!(bindings.len(), 3);
    let (sql, bindings) = bound("SELECT $2, $1, $2", Mysql, ParameterShape::Positional(2));
    assert_eq!(sql, "SELECT ?, ?, ?");
    assert_eq!(bindings, [Binding::Position(1), Binding::Position(0), Binding::Position(1)]);
    let (sql, _) = bound("SELECT ?, ?", Postgres, ParameterShape::Positional(2));
    assert_eq!(sql, "SELECT $1, $2");
    let (sql, _) = bound("SELECT j ? 'k', $1", Postgres, ParameterShape::Positional(1));
    assert_eq!(sql, "SELECT j ? 'k', $1");
    let (sql, _) = bound("SELECT 'é', ?, 'ü'", Sqlite, ParameterShape::Positional(1));
    assert_eq!(sql, "SELECT 'é', ?, 'ü'");
    for (sql, dialect, shape) in [
        ("SELECT ?", Sqlite, ParameterShape::Positional(0)),
        ("SELECT ?", Sqlite, ParameterShape::Positional(2)),
        ("SELECT :a", Sqlite, ParameterShape::Positional(1)),
        ("SELECT :a", Postgres, named(&["b"])),
        ("SELECT $3", Postgres, ParameterShape::Positional(2)),
        ("SELECT ?", Mysql, named(&["a"])),
    ] {
        let error = classify(sql, dialect, &open(), &shape).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Validation, "{sql}");
    }
}

#[test]
fn catalogues_may_be_read_but_not_changed() {
    for sql in [
        "UPDATE pg_settings SET setting = 'x'",
        "UPDATE \"pg_settings\" SET setting = 'x'",
        "INSERT INTO t SELECT 1 FROM pg_class",
        "DELETE FROM pg_catalog.pg_proc",
        "CREATE VIEW v AS SELECT * FROM pg_settings",
        "ALTER TABLE information_schema.sql_parts ADD COLUMN x int",
        "WITH c AS (UPDATE pg_settings SET setting = 'x' RETURNING 1) SELECT * FROM c",
        "MERGE INTO pg_description USING t ON true WHEN MATCHED THEN DELETE",
    ] {
        assert!(is_refused(sql, Postgres) && is_refused(sql, Any), "{sql}");
    }
    for sql in [
        "SELECT * FROM pg_catalog.pg_class",
        "INSERT INTO public.pg_notes (a) VALUES (1)",
        "INSERT INTO t (a) SELECT pg_sleep(0)",
        "UPDATE t SET note = 'pg_settings'",
    ] {
        assert!(judge(sql, Postgres).is_ok(), "{sql}");
    }
}

#[test]
fn typos_have_a_suggestion_and_other_words_have_none() {
    for (word, keyword) in [
        ("SELCT", "SELECT"),
        ("SELET", "SELECT"),
        ("SLEECT", "SELECT"),
        ("INSRET", "INSERT"),
        ("UDPATE", "UPDATE"),
        ("DELTE", "DELETE"),
        ("WIHT", "WITH"),
        ("DORP", "DROP"),
    ] {
        assert_eq!(suggest_keyword(word), Some(keyword), "{word}");
    }
    for word in
        ["SET", "RESET", "GRANT", "CALL", "EXECUTE", "RENAME", "RELEASE", "PREPARE", "LOCK", "DO", "STOP", "PLEASE", ""]
    {
        assert_eq!(suggest_keyword(word), None, "{word}");
    }
}
