//! Hostile queries end with a typed error, in little time and memory.

use super::fixture::{FakeRepository, Fixture, ask, change, facts};
use crate::{ChangeStatus, GraphError, View};
use serde_json::{Map, Value, json};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tgp_base::error::{ErrorCode, PartError};

/// The CPU time that one query may take.
const MOST: Duration = Duration::from_millis(if cfg!(debug_assertions) { 3000 } else { 100 });

/// 200 files that import each other, changed by 300 commits.
fn dense() -> Arc<View> {
    let mut source = FakeRepository { has_ledger: true, ..FakeRepository::default() };
    let path = |file: usize| format!("tools/f{file}.ts");
    let imports: Vec<String> = (0..200).map(|file| format!("./f{file}.ts")).collect();
    let imports: Vec<&str> = imports.iter().map(String::as_str).collect();
    let texts = || (0..200).map(|_| facts(&imports, &[], Some("A tool"))).collect();
    let all = |status: ChangeStatus| (0..200).map(|file| change(&path(file), status.clone())).collect();
    source.commit(1, &[], all(ChangeStatus::Added), texts());
    for number in 2..=300 {
        let changed = (0..20).map(|file| change(&path(file), ChangeStatus::Modified)).collect();
        source.commit(number, &[number - 1], changed, (0..20).map(|_| facts(&imports, &[], Some("A tool"))).collect());
    }
    Fixture::new().view(&source, None)
}

fn cpu() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap())
}

/// The most memory that this process had, in bytes; 0 where the system does not say.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap_or_default();
    line.split_whitespace().nth(1).and_then(|size| size.parse::<usize>().ok()).unwrap_or_default() * 1024
}

#[test]
fn hostile_queries_end_typed_and_soon() {
    let view = dense();
    let nested =
        |open: &str, close: &str, count: usize| format!("RETURN {}1{}", open.repeat(count), close.repeat(count));
    let grown = (0..20).map(|_| "WITH replace(x, 'a', 'aaaaaaaa') AS x ").collect::<String>();
    let doubled = (0..60).map(|_| "WITH x + x AS x ").collect::<String>();
    let wrapped = (0..60).map(|_| "WITH [x, x] AS x ").collect::<String>();
    let wide = (0..30).map(|_| "UNWIND range(1, 1000) AS x WITH 1 AS one ".to_owned()).collect::<String>();
    let limited = [
        "MATCH (a), (b), (c) RETURN count(*)".to_owned(),
        "MATCH (a) MATCH (b) MATCH (c) RETURN count(*)".to_owned(),
        "MATCH (a:File), (b:File), (c:File), (d:File) RETURN a, b, c, d".to_owned(),
        "MATCH (a)-[*]->(b) RETURN count(*)".to_owned(),
        "MATCH (a:File)-[:IMPORTS*]->(b:File) RETURN b".to_owned(),
        "MATCH (a)-[*1..16]-(b) RETURN a, b".to_owned(),
        "MATCH (a:File {path: 'tools/f1.ts'})-[:IMPORTS*5..]->(a) RETURN count(*)".to_owned(),
        "MATCH (a)-[*..1000]->(b) RETURN a".to_owned(),
        "MATCH (a)-[*999999]->(b) RETURN a".to_owned(),
        "MATCH p = (a)-[*]-(b) RETURN p".to_owned(),
        "MATCH (a)--(b)--(c)--(d)--(e) RETURN count(*)".to_owned(),
        "MATCH (a)-[:IMPORTS]->(b)-[:IMPORTS]->(c)-[:IMPORTS]->(d) WHERE NOT (a)-[:IMPORTS]->(d) RETURN count(*)".to_owned(),
        "MATCH (a) WHERE EXISTS { (a)-[*]->(b) WHERE b.path = 'none' } RETURN a".to_owned(),
        "MATCH (a)-[r]-(b) RETURN collect(r), collect(a), collect(b)".to_owned(),
        "MATCH (a:File), (b:File), (c:File) RETURN collect(a.path + b.path + c.path)".to_owned(),
        "MATCH (a:File), (b:File), (c:Commit) WITH a, b, c ORDER BY a.path + b.path + c.hash RETURN count(*)".to_owned(),
        "MATCH (a:File), (b:File), (c:Commit) RETURN DISTINCT a, b, c".to_owned(),
        "MATCH (a:File), (b:File) RETURN a.path, b.path".to_owned(),
        "MATCH (a:File), (b:Commit), (c:Commit) RETURN a.path, b.hash, c.hash, count(*)".to_owned(),
        "RETURN range(0, 1000000000000000000)".to_owned(),
        "RETURN range(-9223372036854775807, 9223372036854775807, 1)".to_owned(),
        "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y RETURN count(*)".to_owned(),
        "UNWIND range(1, 100000) AS x RETURN x".to_owned(),
        "UNWIND range(1, 100000) AS x RETURN collect([x, x, x, x])".to_owned(),
        "UNWIND range(1, 100000) AS x RETURN count(DISTINCT toString(x) + 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx')".to_owned(),
        format!("WITH 'aaaaaaaaaaaaaaaa' AS x {grown} RETURN size(x)"),
        format!("WITH 'aaaaaaaaaaaaaaaa' AS x {doubled} RETURN size(x)"),
        format!("WITH [1, 2, 3, 4] AS x {doubled} RETURN size(x)"),
        format!("WITH 1 AS x {wrapped} RETURN x"),
        format!("{wide} RETURN count(*)"),
        "RETURN [x IN range(1, 1000) | [y IN range(1, 1000) | [z IN range(1, 1000) | z]]]".to_owned(),
        "RETURN all(x IN range(1, 10000) WHERE any(y IN range(1, 10000) WHERE y < 0) OR true)".to_owned(),
        "UNWIND range(1, 1000) AS x MATCH (a:File) WHERE a.path =~ ('a' + toString(x)) RETURN a".to_owned(),
        "MATCH (a)-[x]->(b) WITH a, collect(b) AS l MATCH (c) WHERE c IN l AND c.path IN [y IN l | y.path] RETURN count(*)".to_owned(),
        "MATCH (a:File)<-[:CHANGED]-(c)-[:CHANGED]->(b:File)<-[:CHANGED]-(d) RETURN a.path, count(DISTINCT d)".to_owned(),
        "WITH split(replace(toString(range(1, 3)[0]), '1', 'aaaaaaaaaaaaaaaa'), '') AS l UNWIND l AS a UNWIND l AS b UNWIND l AS c UNWIND l AS d UNWIND l AS e UNWIND l AS f RETURN count(*)".to_owned(),
    ];
    let refused = [
        nested("(", ")", 100_000),
        nested("[", "]", 30_000),
        nested("{a:", "}", 10_000),
        nested("toString(", ")", 5000),
        nested("CASE WHEN true THEN ", " END", 2000),
        format!("RETURN {}1", "(".repeat(60_000)),
        format!("RETURN 1{}", "+1".repeat(30_000)),
        format!("RETURN 'x{}", "y".repeat(1_000_000)),
        format!("RETURN x{}", "[0]".repeat(20_000)),
        format!("WITH {{a: 1}} AS x RETURN x{}", ".a".repeat(20_000)),
        "MATCH () ".repeat(7000) + "RETURN 1",
        format!("MATCH ()-{} RETURN 1", "-()-".repeat(10_000)),
        "WITH 1 AS x ".repeat(5000),
        (0..3000).map(|at| format!("WITH 1 AS x{at} ")).collect(),
        "RETURN 1 UNION ".repeat(4000),
        "MATCH (a) WHERE (a)-->() ".repeat(2000),
        "RETURN 'a' =~ '(((((((((a{100}){100}){100}){100}){100}){100}){100}){100})'".to_owned(),
        format!("RETURN 'a' =~ '{}'", "(".repeat(1000) + &")".repeat(1000)),
        format!("RETURN {}", "{`".repeat(20_000)),
        "/*".repeat(20_000),
    ];
    let before = peak();
    let mut wrong = Vec::new();
    let all = limited.iter().map(|cypher| (cypher, ErrorCode::Limit));
    for (cypher, code) in all.chain(refused.iter().map(|cypher| (cypher, ErrorCode::Validation))) {
        let start = cpu();
        let outcome = ask(&view, cypher, json!({}));
        let took = cpu() - start;
        let shown: String = cypher.chars().take(100).collect();
        let ended = outcome.map(|rows| rows.len()).map_err(|error| error.code());
        if ended != Err(code) || took > MOST {
            wrong.push(format!("{shown}: {ended:?} in {took:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let grown = peak().saturating_sub(before);
    assert!(grown < 128 * 1024 * 1024, "{grown}");
}

#[test]
fn harmless_queries_of_this_kind_end_with_their_rows() {
    let view = dense();
    let nots = format!("RETURN {}true AS x", "NOT ".repeat(10_000));
    let signs = format!("RETURN {}1 AS x", "- ".repeat(20_000));
    let ors = format!("RETURN {} AS x", ["false"; 5000].join(" OR "));
    let pattern = format!("RETURN '{}' =~ '(a*)*b' AS x", "a".repeat(10_000));
    for (cypher, expected) in [
        (nots.as_str(), json!(true)),
        (&signs, json!(1)),
        (&ors, json!(false)),
        (&pattern, json!(false)),
        ("MATCH (a:File), (b:File) RETURN count(*) AS x", json!(40_000)),
        ("MATCH (a)-[:IMPORTS]->(b) RETURN count(*) AS x", json!(200 * 199)),
        ("UNWIND range(1, 50000) AS y WITH y ORDER BY y DESC LIMIT 1 RETURN y AS x", json!(50_000)),
        ("MATCH (a)-[*1..2]->(b) RETURN 1 AS x LIMIT 1", json!(1)),
    ] {
        let shown: String = cypher.chars().take(100).collect();
        assert_eq!(ask(&view, cypher, json!({})).expect(&shown), [json!({ "x": expected })], "{shown}");
    }
}

#[test]
fn limits_of_the_budget_are_enforced() {
    let view = dense();
    let run = |cypher: &str, change: &dyn Fn(&mut crate::QueryBudget)| {
        let mut budget = crate::QueryBudget::default();
        change(&mut budget);
        view.query(cypher, &Map::new(), &budget, &|_| true).map(|rows| rows.len())
    };
    let what = |outcome: Result<usize, GraphError>| match outcome {
        Err(GraphError::Limit { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let files = "MATCH (f:File) RETURN f.path";
    assert_eq!(run(files, &|budget| budget.rows = 200), Ok(200));
    assert_eq!(what(run(files, &|budget| budget.rows = 199)), "rows");
    assert_eq!(what(run(files, &|budget| budget.steps = 100)), "steps");
    assert_eq!(what(run(files, &|budget| budget.bytes = 1000)), "bytes");
    assert_eq!(what(run(files, &|budget| budget.time = Duration::ZERO)), "milliseconds");
    let path = "MATCH (a:File {path: 'tools/f1.ts'})-[:IMPORTS*2]->(b) RETURN DISTINCT b LIMIT 5";
    assert_eq!(run(path, &|budget| budget.hops = 2), Ok(5));
    assert_eq!(what(run(path, &|budget| budget.hops = 1)), "hops");
    let cancelled = Arc::new(AtomicBool::new(true));
    assert_eq!(run(files, &|budget| budget.cancelled = Some(Arc::clone(&cancelled))), Err(GraphError::Cancelled));
}

#[test]
fn a_parameter_that_is_too_deep_or_too_large_is_an_error() {
    let view = dense();
    let mut deep = Value::Null;
    for _ in 0..100 {
        deep = json!([deep]);
    }
    for value in [deep, json!("x".repeat(20_000_000)), json!(vec![0; 3_000_000])] {
        let error = ask(&view, "RETURN size($x)", json!({ "x": value })).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Limit, "{error}");
    }
}
