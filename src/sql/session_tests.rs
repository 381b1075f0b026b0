use super::Session;
use crate::error::{ErrorCode, PartError};
use crate::sql::database::{Database, DatabaseOptions};
use crate::sql::policy::SqlPolicy;
use crate::sql::query::{QueryAnswer, QueryLimits};
use crate::sql::sql_error::SqlError;
use crate::sql::transaction::BeginMode;
use std::path::Path;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

const LIMITS: QueryLimits = QueryLimits { max_rows: 100, max_bytes: 10_000, timeout_ms: 10_000 };
const SLOW: &str =
    "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) SELECT max(i) FROM n";

fn open(folder: &Path) -> Session {
    let file = folder.join("test.db").to_str().unwrap().to_owned();
    Database::new(DatabaseOptions { file, busy_timeout_ms: 50 }).connect().unwrap()
}

fn wait<T: Send + 'static>(start: impl FnOnce(Box<dyn FnOnce(Result<T, SqlError>) + Send>)) -> Result<T, SqlError> {
    let (sender, receiver) = channel();
    start(Box::new(move |result| sender.send(result).unwrap()));
    receiver.recv().unwrap()
}

fn begin(session: &Session, policy: &str) {
    let policy: SqlPolicy = serde_json::from_str(policy).unwrap();
    wait(|done| session.begin(BeginMode::Write, policy, done)).unwrap();
}

fn query(session: &Session, sql: &str, params: &str, limits: QueryLimits) -> Result<QueryAnswer, SqlError> {
    wait(|done| session.query(sql.to_owned(), params.to_owned(), limits, done))
}

fn run(session: &Session, sql: &str) -> Result<QueryAnswer, SqlError> {
    query(session, sql, "[]", LIMITS)
}

#[test]
fn what_the_tokeniser_might_miss_the_authorizer_refuses() {
    let folder = tempfile::tempdir().unwrap();
    let session = open(folder.path());
    begin(&session, "{}");
    run(&session, "CREATE TABLE a (x)").unwrap();
    for sql in [
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "ATTACH DATABASE '/tmp/other.db' AS other",
        "PRAGMA journal_mode = DELETE",
        "PRAGMA database_list",
        "SELECT * FROM pragma_database_list",
        "CREATE TRIGGER t AFTER INSERT ON a BEGIN SELECT 1; END",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "SELECT load_extension('x')",
    ] {
        let error = run(&session, sql).unwrap_err();
        assert_eq!(error.code(), ErrorCode::SecurityViolation, "{sql}: {error}");
    }
    run(&session, "SELECT * FROM pragma_table_info('a')").unwrap();
    wait(|done| session.rollback(done)).unwrap();
}

#[test]
fn rules_hold_for_statements_that_were_prepared_under_others() {
    let folder = tempfile::tempdir().unwrap();
    let session = open(folder.path());
    begin(&session, "{}");
    run(&session, "CREATE TABLE a (x)").unwrap();
    run(&session, "INSERT INTO a VALUES (1)").unwrap();
    wait(|done| session.commit(done)).unwrap();
    begin(&session, r#"{"readOnly":true,"deny":{"tables":["a"]}}"#);
    assert!(run(&session, "INSERT INTO a VALUES (1)").is_err());
    assert!(run(&session, "SELECT * FROM a").is_err());
}

#[test]
fn a_session_that_is_dropped_leaves_nothing_and_no_lock() {
    let folder = tempfile::tempdir().unwrap();
    let first = open(folder.path());
    begin(&first, "{}");
    run(&first, "CREATE TABLE a (x)").unwrap();
    wait(|done| first.commit(done)).unwrap();
    begin(&first, "{}");
    run(&first, "INSERT INTO a VALUES (1)").unwrap();
    let second = open(folder.path());
    let busy = wait(|done| second.begin(BeginMode::Write, SqlPolicy::default(), done));
    assert_eq!(busy.unwrap_err(), SqlError::Busy);
    drop(first);
    let deadline = Instant::now() + Duration::from_secs(10);
    while wait(|done| second.begin(BeginMode::Write, SqlPolicy::default(), done)).is_err() {
        assert!(Instant::now() < deadline);
    }
    assert_eq!(run(&second, "SELECT count(*) AS n FROM a").unwrap().rows.get(), r#"[{"n":0}]"#);
}

#[test]
fn limits_stop_a_statement_and_a_rollback_makes_the_session_usable() {
    let folder = tempfile::tempdir().unwrap();
    let session = open(folder.path());
    begin(&session, "{}");
    let late = query(&session, SLOW, "[]", QueryLimits { timeout_ms: 50, ..LIMITS });
    assert_eq!(late.unwrap_err(), SqlError::Timeout { ms: 50 });
    let (sender, receiver) = channel();
    session.query(SLOW.to_owned(), "[]".to_owned(), LIMITS, Box::new(move |result| sender.send(result).unwrap()));
    session.cancel();
    assert_eq!(receiver.recv().unwrap().unwrap_err(), SqlError::Cancelled);
    assert_eq!(run(&session, "SELECT 1").unwrap_err(), SqlError::Cancelled);
    wait(|done| session.rollback(done)).unwrap();
    begin(&session, "{}");
    let params = r#"[1, 1.5, "é", null, true, {"$base64":"AP8H"}, {"$integer":"9223372036854775807"}, [1]]"#;
    let answer = query(&session, "SELECT ?1 a, ?2 b, ?3 c, ?4 d, ?5 e, ?6 f, ?7 g, ?8 h", params, LIMITS).unwrap();
    assert_eq!(
        answer.rows.get(),
        r#"[{"a":1,"b":1.5,"c":"é","d":null,"e":1,"f":{"$base64":"AP8H"},"g":"9223372036854775807","h":"[1]"}]"#
    );
}
