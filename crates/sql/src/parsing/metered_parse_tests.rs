use super::{MeteredDialect, parse_within_budget, steps_for};
use sqlparser::dialect::{Dialect, GenericDialect, MySqlDialect, PostgreSqlDialect, SQLiteDialect};
use sqlparser::keywords::ALL_KEYWORDS;
use sqlparser::parser::Parser;
use std::cell::Cell;

const GRAMMARS: [&dyn Dialect; 4] = [&GenericDialect {}, &PostgreSqlDialect {}, &MySqlDialect {}, &SQLiteDialect {}];

/// Whether a text is parsed, and the number of steps.
fn metered(grammar: &'static dyn Dialect, text: &str) -> (bool, usize) {
    let metered = MeteredDialect { grammar, left: Cell::new(steps_for(text)) };
    let is_parsed = metered.parse(text).is_some();
    (is_parsed, steps_for(text) - metered.left.get())
}

fn nested(open: &str, inner: &str, close: &str, levels: usize) -> String {
    format!("SELECT {}{inner}{}", open.repeat(levels), close.repeat(levels))
}

#[test]
fn a_metered_parse_gives_the_same_tree_as_a_plain_parse() {
    for sql in [
        "SELECT a.b, count(*) FILTER (WHERE c > 1) FROM s.a AS a LEFT JOIN \"b\" USING (id) WHERE x IN (1, 2) GROUP BY 1",
        "WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c) SELECT * FROM c LIMIT 10 OFFSET 2",
        "SELECT POSITION('a' IN b), EXTRACT(year FROM d), CAST(x AS int), SUBSTRING(a FROM 1 FOR 2), TRIM(BOTH ' ' FROM a)",
        "SELECT x::jsonb -> 'a' ->> 'b', ARRAY[1, 2][1], INTERVAL '1 day', a IS DISTINCT FROM b FROM t TABLESAMPLE SYSTEM (1)",
        "SELECT DISTINCT ON (a) a FROM t ORDER BY a NULLS LAST FOR UPDATE SKIP LOCKED",
        "SELECT `a` FROM `t` USE INDEX (i) WHERE MATCH (a) AGAINST ('x') AND b RLIKE 'y' LIMIT 1, 2",
        "SELECT a, row_number() OVER (PARTITION BY b ORDER BY c ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM t WINDOW w AS (ORDER BY a)",
        "INSERT INTO t (a, b) VALUES (1, 2) ON CONFLICT (a) DO UPDATE SET b = excluded.b RETURNING *",
        "INSERT INTO t SET a = 1 ON DUPLICATE KEY UPDATE a = VALUES(a)",
        "REPLACE INTO t VALUES (1)",
        "UPDATE t SET a = 1 FROM u WHERE t.id = u.id",
        "UPDATE t JOIN u ON t.id = u.id SET t.a = 1 ORDER BY t.a LIMIT 1",
        "DELETE FROM t USING u WHERE t.id = u.id RETURNING id",
        "MERGE INTO t USING u ON t.id = u.id WHEN MATCHED THEN UPDATE SET a = 1 WHEN NOT MATCHED THEN INSERT (a) VALUES (1)",
        "CREATE TABLE t (a int PRIMARY KEY, b text NOT NULL DEFAULT 'x', c AS (a + 1), FOREIGN KEY (b) REFERENCES u (b) ON DELETE CASCADE)",
        "CREATE TABLE t (a, b UNIQUE) WITHOUT ROWID",
        "ALTER TABLE t ADD COLUMN c varchar(10), DROP COLUMN d",
        "CREATE UNIQUE INDEX i ON t (lower(a)) WHERE b IS NOT NULL",
        "EXPLAIN (ANALYZE, VERBOSE) SELECT 1",
        "SELECT (SELECT max(x) FROM (SELECT 1 AS x UNION SELECT 2) q), CASE WHEN a THEN 1 ELSE 2 END, NOT EXISTS (SELECT 1)",
        "SELECT",
        "FROM t SELECT a",
        "TABLE t",
        "SELECT 1 FROM",
        "not sql at all",
    ] {
        for grammar in GRAMMARS {
            let plain = Parser::parse_sql(grammar, sql).ok();
            assert_eq!(parse_within_budget(grammar, sql), plain, "{grammar:?}: {sql}");
        }
    }
}

#[test]
fn unlimited_recursion_of_the_parser_does_not_overflow_the_stack() {
    let parentheses = |count| format!("{}a{}", "(".repeat(count), ")".repeat(count));
    for sql in [
        format!("SELECT 1 FROM {}t", "t JOIN ".repeat(1_400)),
        format!("SELECT 1 FROM {}t", "t LEFT JOIN ".repeat(800)),
        format!("SELECT 1 FROM {}t", "t NATURAL FULL JOIN ".repeat(490)),
        format!("SELECT 1 FROM {}t {}", "t JOIN ".repeat(700), "ON 1 ".repeat(700)),
        format!("SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({}) DEFINE a AS 1)", parentheses(4_900)),
        format!("SELECT * FROM t MATCH_RECOGNIZE (PATTERN ({}a) DEFINE a AS 1)", "a|".repeat(4_900)),
    ] {
        for grammar in GRAMMARS {
            metered(grammar, &sql);
        }
    }
    for grammar in GRAMMARS {
        let (is_parsed, _) = metered(grammar, &format!("SELECT 1 FROM t{}", " JOIN u ON t.a = u.a".repeat(400)));
        assert!(is_parsed, "{grammar:?}");
    }
}

#[test]
fn a_long_flat_statement_uses_a_fraction_of_the_budget() {
    let columns = "lower(a.name) AS b, ".repeat(480);
    let values = "(1, 'x', NULL, 2.5), ".repeat(470);
    let conditions = "a.b = 1 AND c IN (1, 2) OR d LIKE '?' AND ".repeat(230);
    let additions = "1+".repeat(4_900);
    let unions = "SELECT a FROM b UNION ".repeat(440);
    let cases = "CASE WHEN a = 1 THEN b ELSE c END, ".repeat(280);
    for sql in [
        format!("SELECT {columns} 1 FROM t"),
        format!("INSERT INTO t VALUES {values} (1, 2, 3, 4)"),
        format!("SELECT 1 FROM t WHERE {conditions} 1 = 1"),
        format!("SELECT {additions}1"),
        format!("{unions} SELECT 1"),
        format!("SELECT {cases} 1"),
    ] {
        for grammar in GRAMMARS {
            let (is_parsed, steps) = metered(grammar, &sql);
            assert!(is_parsed, "{grammar:?}: {}", sql.get(..60).unwrap_or(&sql));
            assert!(steps < steps_for(&sql) / 4, "{grammar:?}: {steps} for {}", sql.get(..60).unwrap_or(&sql));
        }
    }
}

/// Without the budget, a parse would take hours, and the test would time out.
#[test]
fn no_nested_keyword_exceeds_the_budget() {
    for word in ALL_KEYWORDS {
        for (open, close) in [("(", ")"), ("(a, ", ")"), (" ", ""), ("((", "))"), ("-", ""), ("<", ">")] {
            for (inner, close) in [("1", close), ("(", "")] {
                let sql = nested(&format!("{word}{open}"), inner, close, 40);
                let (_, steps) = metered(&GenericDialect {}, &sql);
                assert!(steps <= steps_for(&sql), "{word}{open}");
            }
        }
    }
}

#[test]
fn exponential_constructs_are_stopped_by_the_budget() {
    let mut ended = 0;
    for (open, inner, close) in [
        ("POSITION(", "'a' IN 'b'", " IN 'b')"),
        ("POSITION((", "'a'", "))"),
        ("x IN ((SELECT ", "1 1", "))"),
        ("1 FROM ((SELECT ", "1 1", "))"),
        ("CASE WHEN ", "1 1", " THEN 1 END"),
        ("CAST(1 AS ARRAY<", "1", ">)"),
        ("f(a => ", "(", ")"),
        ("(a, b) -> (", "(", ")"),
    ] {
        for (grammar, levels) in GRAMMARS.into_iter().flat_map(|grammar| [(grammar, 22), (grammar, 48)]) {
            let sql = nested(open, inner, close, levels);
            let (is_parsed, steps) = metered(grammar, &sql);
            ended += usize::from(!is_parsed && steps == steps_for(&sql));
        }
    }
    assert!(ended > 0, "some have exhausted their budget");
}
