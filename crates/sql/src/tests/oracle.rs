//! Compares the classifier with SQLite on random texts, made of pieces that databases and tokenisers tend to read differently.

#![expect(clippy::wildcard_enum_match_arm, reason = "a test fails on whatever it did not expect")]

use crate::dialects::Dialect;
use crate::parsing::parameters::ParameterShape;
use crate::rules::policy::SqlPolicy;
use crate::rules::statement::{Statement, classify};
use parking_lot::Mutex;
use rusqlite::Connection;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use std::collections::BTreeSet;
use std::sync::Arc;
use tgp_base::sql_verb::{Access, SqlVerb};

const PIECES: [&str; 81] = [
    "'",
    "''",
    "\"",
    "\"\"",
    "`",
    "[",
    "]",
    "--",
    "-- ",
    "/*",
    "*/",
    "/*/",
    "#",
    "\\",
    "\n",
    "\r",
    "\u{b}",
    "\u{c}",
    "\u{feff}",
    "\u{a0}",
    "\u{2003}",
    "\u{200b}",
    "$",
    "$a",
    "$::a(",
    "$a::b(",
    ":a(",
    "@a(",
    "@a::(",
    ":::a",
    "::",
    ":a",
    "@a",
    "?",
    "?1",
    "?(",
    "#1",
    "#a",
    "#::a(",
    "[ ' ]",
    "x'",
    "x'41'",
    "X''",
    "x'4'",
    "e'\\'",
    "U&'",
    "$$",
    "$a$",
    "1e",
    "1e5",
    "0x1f",
    "1_000",
    ".5",
    "1.",
    ";",
    ";;",
    "(",
    ")",
    "))",
    ",",
    ".",
    "t",
    "secrets",
    "'secrets'",
    "[secrets]",
    " DELETE FROM t ",
    " DELETE\u{feff}FROM t ",
    " SELECT 1 ",
    " INSERT INTO t VALUES (1) ",
    " OR REPLACE ",
    " UNION SELECT * FROM secrets ",
    " AS ",
    " RETURNING a ",
    " DROP TABLE t ",
    " a ",
    " WHERE ",
    " FROM ",
    " ATTACH 'x' AS y ",
    " COMMIT ",
    " PRAGMA user_version = 3 ",
    "replace(",
];

const FRAMES: [(&str, &str, &str); 14] = [
    ("WITH c AS (SELECT ", ") SELECT * FROM t ", ""),
    ("WITH c AS (SELECT ", ") DELETE FROM t ", ""),
    ("WITH c AS (SELECT 1", ") DELETE FROM t WHERE a = ", ""),
    ("SELECT ", " FROM t ", ""),
    ("SELECT 1 ", " ", "-- '"),
    ("SELECT ", " FROM t, ", " -- ')"),
    ("INSERT INTO t ", " VALUES (1) ", ""),
    ("INSERT ", " INTO t VALUES (1)", ""),
    ("UPDATE t SET a = ", " WHERE a = ", ""),
    ("DELETE FROM t WHERE a = ", "", " RETURNING a"),
    ("EXPLAIN SELECT ", " FROM t", ""),
    ("VALUES (", ")", ""),
    ("CREATE TABLE x (a ", ")", ""),
    ("PRAGMA ", "(t)", ""),
];

/// A deterministic random number generator.
struct Random(u64);

impl Random {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % most
    }

    fn pieces(&mut self) -> String {
        (0..self.below(4)).map(|_| PIECES[self.below(PIECES.len())]).collect()
    }

    fn statement(&mut self) -> String {
        let (start, middle, end) = FRAMES[self.below(FRAMES.len())];
        let plain = if self.below(2) == 0 { "1" } else { "a" };
        format!(
            "{start}{plain}{}{middle}{}{end}{}",
            self.pieces(),
            self.pieces(),
            if self.below(3) == 0 { self.pieces() } else { String::new() }
        )
    }
}

#[derive(Default)]
struct Seen {
    written: BTreeSet<SqlVerb>,
    read: BTreeSet<String>,
    outside: bool,
}

fn note(seen: &mut Seen, action: &AuthAction<'_>) {
    match action {
        AuthAction::Read { table_name, .. } => {
            seen.read.insert((*table_name).to_owned());
        }
        AuthAction::Insert { table_name } if !table_name.starts_with("sqlite_") => {
            seen.written.insert(SqlVerb::Insert);
        }
        AuthAction::Update { table_name, .. } if !table_name.starts_with("sqlite_") => {
            seen.written.insert(SqlVerb::Update);
        }
        AuthAction::Delete { table_name } if !table_name.starts_with("sqlite_") => {
            seen.written.insert(SqlVerb::Delete);
        }
        AuthAction::CreateTable { .. } => {
            seen.written.insert(SqlVerb::Create);
        }
        AuthAction::DropTable { .. } => {
            seen.written.insert(SqlVerb::Drop);
        }
        AuthAction::Attach { .. } | AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => {
            seen.outside = true;
        }
        _ => {}
    }
}

fn covered(verb: SqlVerb, judged: &BTreeSet<SqlVerb>) -> bool {
    match verb {
        SqlVerb::Insert => judged.contains(&SqlVerb::Insert) || judged.contains(&SqlVerb::Replace),
        SqlVerb::Delete => judged.contains(&SqlVerb::Delete) || judged.contains(&SqlVerb::Drop),
        other => judged.contains(&other),
    }
}

#[test]
fn the_classification_agrees_with_sqlite() {
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut connection = Connection::open_in_memory().unwrap();
    connection.execute_batch("CREATE TABLE t (a); CREATE TABLE secrets (a);").unwrap();
    let notes = Arc::clone(&seen);
    let watch = move |context: AuthContext<'_>| {
        note(&mut notes.lock(), &context.action);
        Authorization::Allow
    };
    connection.authorizer(Some(watch)).unwrap();
    let open = SqlPolicy { ddl: true, ..SqlPolicy::default() };
    let deny = SqlPolicy { deny: serde_json::from_str(r#"{"tables":["secrets"]}"#).unwrap(), ..open.clone() };
    let allow = SqlPolicy { allow: serde_json::from_str(r#"{"tables":["t", "x"]}"#).unwrap(), ..open.clone() };
    let judge = |sql: &str, dialect: Dialect, policy: &SqlPolicy| -> Option<Statement> {
        classify(sql, dialect, policy, &ParameterShape::Positional(0))
            .or_else(|_| classify(sql, dialect, policy, &ParameterShape::Named(vec!["a".to_owned()])))
            .ok()
    };
    let cases = [Dialect::Sqlite, Dialect::Any]
        .into_iter()
        .flat_map(|dialect| [&open, &deny, &allow].map(|policy| (dialect, policy)))
        .collect::<Vec<_>>();
    let mut random = Random(0x0dd5);
    let mut accepted = 0;
    for _ in 0..60_000 {
        let sql = random.statement();
        for (dialect, policy) in &cases {
            let Some(statement) = judge(&sql, *dialect, policy) else { continue };
            *seen.lock() = Seen::default();
            let prepared = match connection.prepare(&statement.sql) {
                Ok(prepared) => prepared,
                Err(rusqlite::Error::MultipleStatement) => panic!("two statements in {sql:?}"),
                Err(_) => continue,
            };
            accepted += 1;
            let actions = seen.lock();
            assert!(!actions.outside, "{sql:?} reaches outside");
            assert!(statement.access != Access::Read || prepared.readonly(), "{sql:?} writes");
            for verb in &actions.written {
                assert!(covered(*verb, &statement.verbs), "{sql:?} does {verb:?}, judged {:?}", statement.verbs);
            }
            if policy.has_table_rules() {
                assert!(!actions.read.contains("secrets"), "{sql:?} reads secrets");
            }
        }
    }
    assert!(accepted > 1_000, "only {accepted} texts were statements");
}
