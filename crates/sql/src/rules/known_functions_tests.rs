use crate::dialects::Dialect;
use crate::parsing::tokenise::tokenise;
use std::collections::BTreeSet;
use tgp_base::sql_detail::SqlDetail;

fn unknown(sql: &str) -> Vec<String> {
    unknown_under(sql, SqlDetail::Tables)
}

fn unknown_under(sql: &str, detail: SqlDetail) -> Vec<String> {
    let upper = sql.to_ascii_uppercase();
    let configs = Dialect::Any.lexer_configs(sql);
    let found = configs
        .filter_map(|config| tokenise(sql, &upper, config).ok()?.map(|tokens| super::unknown_calls(&tokens, detail)));
    found.flatten().collect::<BTreeSet<_>>().into_iter().collect()
}

#[test]
fn portable_statements_have_no_unknown_calls() {
    for sql in [
        "SELECT count(*), MAX(a) FROM t WHERE id IN (1, 2) AND (a OR (b)) ORDER BY lower(a)",
        "INSERT INTO items (id, name) VALUES (1, 'x')",
        "INSERT INTO shop.items(id) SELECT (1)",
        "SELECT id FROM shop.items JOIN shop.orders USING (id)",
        "WITH c(x) AS (SELECT 1) SELECT CAST(x AS VARCHAR(10)) FROM c AS d(y)",
        "WITH RECURSIVE c(x) AS MATERIALIZED (SELECT 1) SELECT CAST(x AS binary(3)) FROM c",
        "CREATE TABLE IF NOT EXISTS t (id INT, name VARCHAR(5), flag TINYINT(1), PRIMARY KEY (id))",
        "SELECT a FROM t WHERE a NOT LIKE ('x') AND b IS NOT (NULL) AND c GLOB ('y') GROUP BY (a)",
        "SELECT sum(a) FILTER (WHERE b > 1) OVER (PARTITION BY (c) ORDER BY d) FROM t LEFT JOIN (SELECT 1) u ON (a = b)",
        "UPDATE t SET a = -1, b =-1, c=2*-3, d = a||'x' WHERE a<=b AND a<>b AND a!=b AND a>=?",
        "INSERT INTO t (id) VALUES (:id) ON CONFLICT (id) DO UPDATE SET (a, b) = (1, 2)",
        "SELECT DATE '2026-01-01', a AS 'b', CASE WHEN a = 'x' THEN 'y' ELSE 'z' END FROM t WHERE a LIKE 'x' ESCAPE '!'",
        "EXPLAIN SELECT coalesce(a, 'x') -> 'b' ->> 'c' FROM t",
    ] {
        assert!(unknown(sql).is_empty(), "{sql} {:?}", unknown(sql));
    }
}

#[test]
fn functions_that_are_not_portable_are_unknown() {
    for (sql, name) in [
        ("SELECT purge_things()", "purge_things"),
        ("UPDATE t SET a = \"Erase\" (1)", "Erase"),
        ("SELECT \"Count\"(1)", "Count"),
        ("SELECT \"select\"(1)", "select"),
        ("SELECT week(id), total(id) FROM t", "total"),
        ("SELECT index(id) FROM t", "index"),
        ("SELECT glob(id) FROM t", "glob"),
        ("SELECT a FROM t WHERE NOT regexp(id)", "regexp"),
        ("SELECT 1 + key(id) FROM t", "key"),
        ("SELECT tinyint(id) FROM t", "tinyint"),
        ("SELECT id OPERATOR(public.+) id FROM t", "operator"),
    ] {
        assert!(unknown(sql).iter().any(|found| found == name), "{sql} {:?}", unknown(sql));
    }
    assert!(unknown("SELECT shop.count(1) FROM t").contains(&"count".to_owned()));
}

#[test]
fn calls_without_parentheses_are_unknown() {
    for sql in [
        "SELECT acc.purge FROM acc",
        "SELECT (acc).purge FROM acc",
        "SELECT 1 FROM acc a ORDER BY a.purge",
        "SELECT count(*) FROM acc WHERE \"acc\".\"purge\" IS NOT NULL",
        "SELECT list[a.purge] FROM acc a",
        "SELECT id @@@@ id FROM acc",
        "SELECT id #+# id FROM acc",
        "SELECT id == id FROM acc",
        "SELECT id ~~> id FROM acc",
        "SELECT id |- id FROM acc",
        "SELECT id::comp FROM acc",
        "SELECT CAST(id AS comp) FROM acc",
        "SELECT CAST((SELECT 1 AS a) AS public.email) FROM acc",
        "SELECT CAST(id AS \"comp\") FROM acc",
        "SELECT email 'x' FROM acc",
        "SELECT email E'x' FROM acc",
    ] {
        assert!(!unknown(sql).is_empty(), "{sql}");
    }
}

#[test]
fn without_sql_rules_only_functions_are_reported() {
    for sql in
        ["SELECT o.id FROM orders o", "SELECT id == 1 FROM t", "SELECT id::comp FROM t", "SELECT email 'x' FROM t"]
    {
        assert_eq!(unknown_under(sql, SqlDetail::Nothing), Vec::<String>::new(), "{sql}");
        assert!(!unknown_under(sql, SqlDetail::Verbs).is_empty(), "{sql}");
    }
    assert_eq!(unknown_under("SELECT purge(o.id) FROM orders o", SqlDetail::Nothing), ["purge"]);
}
