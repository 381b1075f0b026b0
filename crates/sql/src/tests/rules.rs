use crate::dialects::Dialect::{self, Any, Mysql, Postgres, Sqlite};
use crate::parsing::parameters::ParameterShape;
use crate::rules::outline::outline;
use crate::rules::policy::SqlPolicy;
use crate::rules::statement::{Statement, classify};
use crate::sql_error::SqlError;
use tgp_base::sql_detail::SqlDetail;

fn policy(json: &str) -> SqlPolicy {
    SqlPolicy { ddl: true, ..serde_json::from_str(json).unwrap() }
}

fn check(sql: &str, dialect: Dialect, policy: &SqlPolicy) -> Result<Statement, SqlError> {
    classify(sql, dialect, policy, &ParameterShape::Positional(0))
}

#[test]
fn the_policy_of_the_owner_applies() {
    let read_only = policy(r#"{"readOnly":true}"#);
    assert!(check("SELECT 1", Postgres, &read_only).is_ok());
    for sql in
        ["DELETE FROM t", "WITH a AS (DELETE FROM t RETURNING 1) SELECT 1", "CREATE TABLE a (b int)", "SELECT 1 INTO a"]
    {
        assert!(check(sql, Postgres, &read_only).is_err(), "{sql}");
    }
    let verbs = policy(r#"{"allow":{"verbs":["select","update"]},"deny":{"verbs":["update"]}}"#);
    assert!(check("SELECT 1", Sqlite, &verbs).is_ok());
    assert!(check("UPDATE t SET a = 1", Sqlite, &verbs).is_err());
    assert!(check("DELETE FROM t", Sqlite, &verbs).is_err());
    // A statement needs all verbs that it implies.
    let appending = policy(r#"{"allow":{"verbs":["select","insert"]}}"#);
    for (sql, dialect) in [
        ("INSERT OR REPLACE INTO t VALUES (1)", Sqlite),
        ("INSERT INTO t VALUES (1) ON CONFLICT DO UPDATE SET a = 1", Postgres),
        ("INSERT INTO t VALUES (1) ON DUPLICATE KEY UPDATE a = 1", Mysql),
        ("SELECT 1 AS insert INTO t2", Postgres),
        ("WITH a AS (SELECT 1) SELECT (1) insert INTO t2", Postgres),
    ] {
        assert!(check(sql, dialect, &appending).is_err(), "{sql}");
    }
    assert!(check("WITH a AS (SELECT 1) INSERT INTO t SELECT * FROM a", Postgres, &appending).is_ok());
    assert!(
        check("INSERT INTO t VALUES (1) RETURNING a", Postgres, &policy(r#"{"allow":{"verbs":["insert"]}}"#)).is_err()
    );
    assert!(check("TRUNCATE t", Postgres, &policy(r#"{"deny":{"verbs":["delete"]}}"#)).is_err());
    assert!(policy(r#"{"allow":{"verbs":["select","show"]}}"#).only_reads());
    assert!(!policy(r#"{"allow":{"verbs":["select","insert"]}}"#).only_reads());
    assert!(check("SELECT 1", Postgres, &appending).unwrap().enforce_read_only);
    assert!(!check("SELECT 1", Postgres, &SqlPolicy::default()).unwrap().enforce_read_only);
    let denied = policy(r#"{"deny":{"tables":["secrets"]}}"#);
    for sql in [
        "SELECT * FROM secrets",
        "SELECT * FROM \"SECRETS\"",
        "SELECT * FROM public.secrets",
        "SELECT (SELECT max(a) FROM Secrets)",
    ] {
        assert!(check(sql, Postgres, &denied).is_err(), "{sql}");
    }
    assert!(check("SELECT 'secrets' FROM t", Postgres, &denied).is_ok());
    let allowed = policy(r#"{"allow":{"tables":["users"]}}"#);
    for sql in [
        "SELECT * FROM users",
        "SELECT * FROM public.users u",
        "WITH u AS (SELECT * FROM users) SELECT * FROM u",
        "UPDATE users SET a = 1",
        "WITH RECURSIVE n AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM n) SELECT * FROM n",
    ] {
        assert!(check(sql, Postgres, &allowed).is_ok(), "{sql}");
    }
    for sql in [
        "SELECT * FROM other",
        "SELECT * FROM users, other",
        "SELECT * FROM users JOIN other ON true",
        "SELECT * FROM hidden.users",
        "SELECT (SELECT a FROM other)",
        "DELETE FROM users USING other",
        "INSERT INTO other SELECT * FROM users",
        "DROP TABLE other",
        "WITH other AS (SELECT * FROM other) SELECT * FROM other",
        "SELECT * FROM other WHERE a IN (WITH other AS (SELECT 1 AS a) SELECT a FROM other)",
        "TRUNCATE other",
        "TABLE other",
        "WITH other AS (SELECT 1) INSERT INTO other VALUES (1)",
        "WITH other AS (SELECT 1) DELETE FROM other",
        "WITH other AS (SELECT 1) UPDATE other SET a = 1",
        "SELECT 1 INTO other",
        "CREATE TABLE users (LIKE other)",
        "CREATE TABLE users PARTITION OF other DEFAULT",
        "CREATE INDEX ON other (a)",
        "COMMENT ON TABLE other IS 'x'",
    ] {
        assert!(check(sql, Postgres, &allowed).is_err(), "{sql}");
    }
}

#[test]
fn allowed_tables_apply_under_every_lexer_configuration() {
    let allowed = policy(r#"{"allow":{"tables":["t"]}}"#);
    for (sql, dialect) in [
        ("SELECT $$+' $$, pw FROM secret -- '", Any),
        (r"SELECT '\', pw FROM secret -- '", Mysql),
        (r#"SELECT 1 "\", pw FROM secret -- ""#, Mysql),
        (r"SELECT '\', pw FROM secret -- '", Any),
        ("SELECT 1 # \n, pw FROM secret", Mysql),
    ] {
        assert!(check(sql, dialect, &allowed).is_err(), "{dialect:?}: {sql}");
    }
    for dialect in [Sqlite, Postgres, Mysql, Any] {
        for sql in [
            "SELECT a, \"b\" FROM t WHERE c = 'it''s' ORDER BY 1",
            "WITH x AS (SELECT * FROM t) SELECT count(*) FROM x",
            "INSERT INTO t (a) VALUES (1), (2)",
            "UPDATE t SET a = 'x' WHERE b IN (SELECT b FROM t)",
            "DELETE FROM t WHERE a LIKE '50%'",
        ] {
            assert!(check(sql, dialect, &allowed).is_ok(), "{dialect:?}: {sql}");
        }
    }
}

#[test]
fn denied_tables_apply_where_sqlite_accepts_a_string_as_a_name() {
    let denied = policy(r#"{"deny":{"tables":["secret"]}}"#);
    for sql in [
        "UPDATE OR IGNORE 'secret' SET pw = 'z'",
        "UPDATE OR REPLACE 'secret' SET pw = 'z'",
        "UPDATE OR ROLLBACK /* */ 'Secret' SET pw = 'z'",
        "SELECT 'h' IN 'secret'",
        "SELECT 'h' NOT IN 'secret'",
        "ALTER TABLE t RENAME TO 'secret'",
    ] {
        for dialect in [Sqlite, Any] {
            assert!(check(sql, dialect, &denied).is_err(), "{dialect:?}: {sql}");
        }
    }
    assert!(check("SELECT 'secret' AS a FROM t WHERE b = 'secret'", Sqlite, &denied).is_ok());
}

#[test]
fn shadow_tables_of_a_denied_virtual_table_are_denied() {
    let denied = policy(r#"{"deny":{"tables":["notes", "user"]}}"#);
    for sql in [
        "SELECT * FROM notes_content",
        "SELECT * FROM t, \"Notes_Content\"",
        "SELECT * FROM 'notes_content'",
        "SELECT 1 IN notes_data",
        "SELECT 1 IN 'notes_data'",
        "DELETE FROM main.notes_segdir",
        "SELECT a FROM t JOIN notes_docsize",
    ] {
        assert!(check(sql, Sqlite, &denied).is_err(), "{sql}");
    }
    // Columns, and names that only look similar.
    for sql in
        ["SELECT user_data, t.user_config FROM t", "SELECT * FROM notes_archive", "SELECT 'user_data' AS a FROM t"]
    {
        assert!(check(sql, Sqlite, &denied).is_ok(), "{sql}");
    }
    assert!(check("SELECT * FROM notes_content", Postgres, &denied).is_ok());
    let named = policy(r#"{"allow":{"tables":["user_data"]},"deny":{"tables":["user"]}}"#);
    assert!(check("SELECT * FROM user_data", Sqlite, &named).is_ok());
}

#[test]
fn table_rules_deny_the_sys_schema_of_mysql() {
    let denied = policy(r#"{"deny":{"tables":["secret"]}}"#);
    for sql in
        ["SELECT * FROM sys.session", "SELECT * FROM `sys`.`innodb_lock_waits`", "SELECT * FROM SYS . processlist"]
    {
        assert!(check(sql, Mysql, &denied).is_err(), "{sql}");
    }
    assert!(check("SELECT sys FROM t", Mysql, &denied).is_ok());
    // A reserved word is a table name only in quotes or next to a dot.
    let orders = policy(r#"{"deny":{"tables":["order"]}}"#);
    for dialect in [Sqlite, Postgres, Mysql, Any] {
        assert!(check("SELECT a FROM t ORDER BY a", dialect, &orders).is_ok(), "{dialect:?}");
        assert!(check("SELECT a FROM shop.order", dialect, &orders).is_err(), "{dialect:?}");
    }
    assert!(check("SELECT a FROM \"order\"", Postgres, &orders).is_err());
    assert!(check("SELECT * FROM sys.version", Mysql, &SqlPolicy::default()).is_ok());
}

#[test]
fn schema_changes_require_ddl() {
    let fixed = SqlPolicy::default();
    for (sql, dialects) in [
        ("CREATE TABLE a (b int)", &[Sqlite, Postgres, Mysql, Any][..]),
        ("CREATE TEMP TABLE a (b int) ON COMMIT DROP", &[Postgres]),
        ("CREATE OR REPLACE VIEW v AS SELECT 1", &[Postgres, Mysql, Any]),
        ("CREATE UNIQUE INDEX i ON t (a)", &[Sqlite, Postgres, Mysql, Any]),
        ("CREATE FUNCTION f() RETURNS int AS 'x' LANGUAGE sql", &[Postgres, Mysql, Any]),
        ("ALTER TABLE t ADD COLUMN a int", &[Sqlite, Postgres, Mysql, Any]),
        ("DROP TABLE t", &[Sqlite, Postgres, Mysql, Any]),
        ("DROP DATABASE d", &[Postgres, Mysql, Any]),
        ("TRUNCATE t", &[Postgres, Mysql, Any]),
        ("SELECT 1 INTO a", &[Postgres, Any]),
        ("WITH x AS (SELECT 1) SELECT * INTO a FROM x", &[Postgres, Any]),
        ("REINDEX TABLE t", &[Postgres, Any]),
        ("ANALYZE", &[Sqlite, Postgres, Any]),
        ("REFRESH MATERIALIZED VIEW v", &[Postgres, Any]),
        ("COMMENT ON TABLE t IS 'x'", &[Postgres, Any]),
    ] {
        for dialect in dialects {
            let error = check(sql, *dialect, &fixed).unwrap_err();
            assert!(matches!(error, SqlError::SchemaFixed { .. }), "{dialect:?}: {sql}: {error}");
            let read_only = SqlPolicy { read_only: true, ddl: true, ..SqlPolicy::default() };
            assert!(matches!(check(sql, *dialect, &read_only), Err(SqlError::Refused { .. })), "{dialect:?}: {sql}");
        }
    }
    for sql in ["INSERT INTO t VALUES (1)", "UPDATE t SET a = 1", "DELETE FROM t", "SELECT 1"] {
        assert!(check(sql, Postgres, &fixed).is_ok(), "{sql}");
    }
}

#[test]
fn a_statement_that_exceeds_the_parse_budget_is_refused_under_table_rules() {
    let sql = format!("SELECT {}'a' IN 'b'{}", "POSITION(".repeat(30), " IN 'b')".repeat(30));
    let some = policy(r#"{"allow":{"tables":["t"]}}"#);
    // Without a budget it takes an hour.
    for dialect in [Sqlite, Postgres, Mysql, Any] {
        assert!(check(&sql, dialect, &some).is_err());
    }
    assert_eq!(outline(&sql, Any).unwrap().tables, None);
}

#[test]
fn table_rules_use_the_case_folding_of_the_database() {
    let allowed = policy(r#"{"allow":{"tables":["t"]}}"#);
    for (sql, dialect, is_allowed) in [
        ("SELECT * FROM T", Postgres, true),
        ("SELECT * FROM public.t", Postgres, true),
        ("SELECT * FROM \"T\"", Postgres, false),
        ("SELECT * FROM main.t", Postgres, false),
        ("SELECT * FROM \"T\"", Sqlite, true),
        ("SELECT * FROM main.t", Sqlite, true),
        ("SELECT * FROM public.t", Sqlite, false),
        ("SELECT * FROM main.t", Mysql, false),
        ("SELECT * FROM public.t", Mysql, false),
        ("SELECT * FROM `T`", Mysql, false),
        ("SELECT * FROM ONLY t", Postgres, true),
        ("SELECT * FROM ONLY secrets", Postgres, false),
        ("UPDATE ONLY secrets SET a = 1", Postgres, false),
        ("UPDATE IGNORE secrets SET a = 1", Mysql, false),
        ("UPDATE IGNORE t SET a = 1", Mysql, true),
        ("WITH Secrets AS (SELECT 1) SELECT * FROM secrets", Mysql, false),
        ("WITH Secrets AS (SELECT 1) SELECT * FROM secrets", Any, false),
        ("WITH Secrets AS (SELECT 1) SELECT * FROM \"secrets\"", Postgres, true),
        ("WITH \"Secrets\" AS (SELECT 1) SELECT * FROM secrets", Postgres, false),
        ("WITH \"Secrets\" AS (SELECT 1) SELECT * FROM secrets", Sqlite, true),
        ("WITH \"i\u{307}tems\" AS (SELECT 1) SELECT * FROM İtems", Postgres, false),
    ] {
        assert_eq!(check(sql, dialect, &allowed).is_ok(), is_allowed, "{sql} {dialect:?}");
    }
    let denied = policy(r#"{"deny":{"tables":["items"]}}"#);
    for sql in ["SELECT * FROM İtems", "SELECT * FROM `İTEMS`", "UPDATE LOW_PRIORITY items SET a = 1"] {
        assert!(check(sql, Mysql, &denied).is_err(), "{sql}");
    }
}

#[test]
fn catalogues_with_passwords_or_statements_of_others_are_refused() {
    for (sql, dialect) in [
        ("SHOW WARNINGS", Mysql),
        ("SHOW ERRORS", Mysql),
        ("SHOW COUNT(*) WARNINGS", Mysql),
        ("SHOW CREATE USER root", Mysql),
        ("SHOW CREATE FUNCTION f", Mysql),
        ("SHOW CREATE PROCEDURE p", Mysql),
        ("SHOW CREATE EVENT e", Mysql),
        ("SHOW CREATE TRIGGER t", Mysql),
        ("SHOW CREATE SERVER s", Mysql),
        ("SELECT * FROM information_schema.user_variables", Mysql),
        ("SELECT * FROM information_schema.USER_ATTRIBUTES", Mysql),
        ("SELECT * FROM information_schema.user_mapping_options", Postgres),
        ("SELECT * FROM information_schema . \"user_mappings\"", Postgres),
        ("SELECT * FROM information_schema._pg_user_mappings", Postgres),
        ("SELECT * FROM \"information_schema\".foreign_server_options", Postgres),
        ("SELECT * FROM information_schema.foreign_table_options", Postgres),
        ("SELECT srvoptions FROM pg_foreign_server", Postgres),
        ("SELECT ftoptions FROM pg_catalog.pg_foreign_table", Postgres),
        ("SELECT setconfig FROM pg_db_role_setting", Postgres),
        ("SELECT conninfo FROM pg_stat_wal_receiver", Postgres),
        ("SELECT query FROM pg_stat_activity", Postgres),
        ("SELECT query FROM pg_stat_statements", Postgres),
        ("SELECT * FROM pg_catalog.pg_stat_get_activity(NULL)", Postgres),
        ("SELECT * FROM pg_roles", Postgres),
        ("SELECT r.rolconfig FROM my_roles r", Postgres),
        ("SELECT useconfig FROM pg_user", Postgres),
        ("SELECT routine_definition FROM information_schema.routines", Postgres),
        ("SELECT * FROM information_schema.EVENTS", Mysql),
        ("SELECT info FROM information_schema.processlist", Mysql),
        ("SELECT trx_query FROM information_schema.INNODB_TRX", Mysql),
        ("SELECT * FROM performance_schema.user_variables_by_thread", Mysql),
        ("SELECT * FROM sys.`session`", Mysql),
        ("SELECT pg_show_all_file_settings()", Postgres),
        ("SELECT * FROM pg_catalog.pg_show_all_settings()", Postgres),
        ("SELECT setting FROM pg_settings", Postgres),
        ("SHOW ALL", Postgres),
        ("SHOW primary_conninfo", Postgres),
        ("SHOW \"primary_conninfo\"", Postgres),
        ("SHOW app.jwt_secret", Postgres),
        ("SHOW archive_command", Postgres),
        ("SELECT current_setting('primary_conninfo')", Postgres),
        ("SELECT current_setting('Primary_ConnInfo', true)", Postgres),
        ("SELECT pg_catalog.current_setting('app.jwt_secret')", Postgres),
        ("SELECT current_setting('primary_' || 'conninfo')", Postgres),
        ("SELECT current_setting(name) FROM t", Postgres),
        ("SELECT \"current_setting\"($$primary_conninfo$$)", Postgres),
        ("SELECT ('primary_conninfo'::text).current_setting", Postgres),
        ("SELECT pg_get_functiondef(1)", Postgres),
        ("SELECT prosrc FROM pg_proc", Postgres),
    ] {
        assert!(check(sql, dialect, &SqlPolicy::default()).is_err(), "{sql}");
        assert!(check(sql, Any, &SqlPolicy::default()).is_err(), "{sql}");
    }
    for (sql, dialect) in [
        ("SHOW CREATE TABLE t", Mysql),
        ("SHOW FULL COLUMNS FROM t", Mysql),
        ("SELECT * FROM user_mappings", Postgres),
        ("SELECT processlist, events, routines FROM session", Mysql),
        ("SELECT * FROM information_schema.columns", Postgres),
        ("SHOW server_version", Postgres),
        ("SHOW TIME ZONE", Postgres),
        ("SELECT current_setting('search_path'), current_setting('TimeZone', true)", Postgres),
        ("SELECT current_setting FROM t", Postgres),
    ] {
        assert!(check(sql, dialect, &SqlPolicy::default()).is_ok(), "{sql}");
    }
}

#[test]
fn the_reach_has_the_tables_and_calls_of_the_statement() {
    let judged = SqlPolicy { judged: SqlDetail::Tables, ..SqlPolicy::default() };
    let reach = |sql: &str, dialect, policy: &SqlPolicy| check(sql, dialect, policy).unwrap().reach;
    let found = reach("SELECT purge(), (o).x FROM \"Orders\" o", Postgres, &judged).unwrap();
    assert_eq!(found.tables.unwrap().into_iter().collect::<Vec<_>>(), ["Orders"]);
    assert!(found.calls.contains("purge") && found.calls.contains("x") && !found.calls.contains("o"));
    assert!(check("SELECT purge()", Postgres, &judged).unwrap().enforce_read_only);
    let verbs = SqlPolicy { judged: SqlDetail::Verbs, ..SqlPolicy::default() };
    for (policy, enforce_read_only, compared) in
        [(&SqlPolicy::default(), false, false), (&verbs, true, false), (&judged, true, true)]
    {
        let statement = check("SELECT f() FROM t", Postgres, policy).unwrap();
        assert_eq!((statement.enforce_read_only, statement.detail), (enforce_read_only, policy.judged));
        let reach = statement.reach.unwrap();
        assert_eq!((reach.tables.is_some(), reach.calls.contains("f")), (compared, true));
    }
    assert_eq!(reach("SELECT 1 FROM t", Mysql, &judged).unwrap().tables, None);
    // Keywords before a parenthesis are not calls.
    let plain = reach("SELECT 1 WHERE 1 IN (1) AND (1) = 1", Postgres, &judged).unwrap();
    assert!(plain.calls.is_empty() && plain.names.is_empty());
    assert_eq!(reach("SELECT 1", Sqlite, &judged), None);
    for sql in ["SELECT NEXT /**/ VALUE FOR s", "SELECT NextVal(s)", "SELECT s.nextval"] {
        assert!(reach(sql, Mysql, &judged).unwrap().calls.contains("nextval"), "{sql}");
    }
    let commented = reach("/* x */ (SELECT * FROM t)", Postgres, &judged).unwrap();
    assert!(commented.tables.is_some() && reach("SHOW server_version", Postgres, &judged).unwrap().tables.is_none());
    let written = reach("INSERT IGNORE INTO a.b (c) SELECT d FROM e", Mysql, &SqlPolicy::default()).unwrap();
    assert_eq!(written.written.into_iter().collect::<Vec<_>>(), ["a.b"]);
}
