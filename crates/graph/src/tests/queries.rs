//! Queries with the rows that they return.

use super::fixture::{Fixture, ask, id, rows, small, small_view};
use serde_json::json;

#[test]
fn queries_return_these_rows() {
    let view = small_view();
    let mut wrong = Vec::new();
    for (cypher, expected) in [
        // Nodes and properties.
        (
            "MATCH (f:File {path: $path}) RETURN f.path, f.name, f.root, f.exists",
            json!([{ "f.path": "tools/a.ts", "f.name": "a.ts", "f.root": ".", "f.exists": true }]),
        ),
        ("MATCH (f:File {path: 'README.md'}) RETURN f", json!([])),
        (
            "MATCH (c:Commit)-[:CHANGED {status: 'deleted'}]->(f) RETURN f.path AS path, f.exists AS e",
            json!([{ "path": "README.md", "e": false }]),
        ),
        (
            "MATCH (f:File) RETURN f.path AS p",
            json!([{ "p": "side.md" }, { "p": "tools/a.test.ts" }, { "p": "tools/a.ts" }, { "p": "tools/b.ts" }, { "p": "tools/core.ts" }]),
        ),
        ("MATCH (t:Tool) RETURN t.description AS d", json!([{ "d": "Adds numbers" }, { "d": "Calls a" }])),
        ("MATCH (c:Commit) RETURN c.subject AS s LIMIT 2", json!([{ "s": "commit 6" }, { "s": "commit 5" }])),
        ("MATCH (c:Commit {short: '0000000'}) RETURN count(*) AS n", json!([{ "n": 6 }])),
        (
            "MATCH (n) RETURN labels(n) AS l, count(*) AS n ORDER BY n DESC, l",
            json!([{ "l": ["Commit"], "n": 6 }, { "l": ["File"], "n": 3 }, { "l": ["File", "Tool"], "n": 2 }, { "l": ["Run"], "n": 2 }, { "l": ["Session"], "n": 1 }]),
        ),
        // Relationships.
        (
            "MATCH (a)-[:IMPORTS]->(b) RETURN a.name AS a, b.name AS b ORDER BY a",
            json!([{ "a": "a.test.ts", "b": "a.ts" }, { "a": "a.ts", "b": "core.ts" }, { "a": "b.ts", "b": "core.ts" }]),
        ),
        ("MATCH (a:Tool)-[:CALLS]->(b:Tool) RETURN a.name AS a, b.name AS b", json!([{ "a": "b.ts", "b": "a.ts" }])),
        ("MATCH (t)-[:TESTED_BY]->(f) RETURN t.name AS t, f.name AS f", json!([{ "t": "a.ts", "f": "a.test.ts" }])),
        (
            "MATCH (t:Tool {path: 'tools/b.ts'})-[:FORGED_BY]->(by) RETURN labels(by) AS l",
            json!([{ "l": ["Commit"] }, { "l": ["Session"] }]),
        ),
        (
            "MATCH (a)-[r:WAS_RENAMED_FROM]->(b) RETURN a.name AS a, b.name AS b, r.similarity AS s",
            json!([{ "a": "core.ts", "b": "lib.ts", "s": 72 }]),
        ),
        (
            "MATCH (f:File {path: 'tools/core.ts'})<-[r:CHANGED]-(c) RETURN r",
            json!([{ "type": "CHANGED", "status": "renamed", "similarity": 72, "from": "tools/lib.ts" }]),
        ),
        (
            "MATCH (s:Session)-[:CALLS]->(r:Run)-[:CALLS]->(x) RETURN r.id AS r, r.ok AS ok, r.code AS code, coalesce(x.id, x.path) AS x ORDER BY x",
            json!([{ "r": "r1", "ok": false, "code": "ERR_TOOL_THROWN", "x": "r2" }, { "r": "r1", "ok": false, "code": "ERR_TOOL_THROWN", "x": "tools/b.ts" }]),
        ),
        ("MATCH (s:Session)-[:CHANGED]->(f) RETURN s.agent AS a, f.name AS f", json!([{ "a": "claude", "f": "b.ts" }])),
        // Length, paths, direction.
        (
            "MATCH p = (a {path: 'tools/a.test.ts'})-[:IMPORTS*]->(b) RETURN length(p) AS n, [x IN nodes(p) | x.name] AS names",
            json!([{ "n": 1, "names": ["a.test.ts", "a.ts"] }, { "n": 2, "names": ["a.test.ts", "a.ts", "core.ts"] }]),
        ),
        (
            "MATCH (b {path: 'tools/core.ts'})<-[r:IMPORTS*2]-(a) RETURN a.name AS a, [x IN r | type(x)] AS t",
            json!([{ "a": "a.test.ts", "t": ["IMPORTS", "IMPORTS"] }]),
        ),
        (
            "MATCH (a:File {path: $path})-[:IMPORTS*0..1]->(b) RETURN b.name AS b",
            json!([{ "b": "a.ts" }, { "b": "core.ts" }]),
        ),
        ("MATCH (a:File {path: $path})--(b:File) RETURN count(*) AS n", json!([{ "n": 4 }])),
        (
            "MATCH (a)-[:IMPORTS]->(c)<-[:IMPORTS]-(b) RETURN a.name AS a, b.name AS b",
            json!([{ "a": "a.ts", "b": "b.ts" }, { "a": "b.ts", "b": "a.ts" }]),
        ),
        // Conditions with null.
        (
            "MATCH (f:File) WHERE f.description = 'x' OR NOT f.description = 'x' RETURN count(*) AS n",
            json!([{ "n": 2 }]),
        ),
        ("MATCH (f:File) WHERE f.description IS NULL RETURN count(*) AS n", json!([{ "n": 3 }])),
        (
            "RETURN null = null AS a, null <> 1 AS b, null AND false AS c, null OR true AS d, NOT null AS e, 1 IN [null, 1] AS f, 1 IN [null] AS g",
            json!([{ "a": null, "b": null, "c": false, "d": true, "e": null, "f": true, "g": null }]),
        ),
        ("MATCH (f:Tool) WHERE NOT (f)<-[:CALLS]-(:Tool) RETURN f.name AS f", json!([{ "f": "b.ts" }])),
        (
            "MATCH (f:File) WHERE EXISTS { MATCH (f)<-[:IMPORTS]-(g:Tool) WHERE g.name = 'b.ts' } RETURN f.name AS f",
            json!([{ "f": "core.ts" }]),
        ),
        (
            "MATCH (f:File) WHERE f.path STARTS WITH 'tools/' AND f.name =~ '[ab][.]ts' AND f.name CONTAINS 't' AND f.name ENDS WITH 's' RETURN count(f) AS n",
            json!([{ "n": 2 }]),
        ),
        (
            "MATCH (f:File) WHERE f.path IN ['tools/b.ts', $path, 'none'] RETURN f.name AS f ORDER BY f",
            json!([{ "f": "a.ts" }, { "f": "b.ts" }]),
        ),
        (
            "MATCH (f:File) OPTIONAL MATCH (f)-[:TESTED_BY]->(t) RETURN f.name AS f, t.name AS t ORDER BY t, f LIMIT 2",
            json!([{ "f": "a.ts", "t": "a.test.ts" }, { "f": "a.test.ts", "t": null }]),
        ),
        ("OPTIONAL MATCH (f:File {path: 'none'}) RETURN f", json!([{ "f": null }])),
        // Projections.
        (
            "MATCH (f:File)<-[:CHANGED]-(c:Commit) WITH f, count(c) AS n WHERE n > 2 RETURN f.name AS f, n",
            json!([{ "f": "a.ts", "n": 3 }]),
        ),
        (
            "MATCH (c:Commit) RETURN c.author AS a, count(*) AS n, min(c.time) AS first, max(c.time) AS last, avg(c.time) AS mean, sum(c.time) AS sum ORDER BY a",
            json!([{ "a": "Ada", "n": 3, "first": 100, "last": 500, "mean": 300.0, "sum": 900 }, { "a": "Bob", "n": 3, "first": 200, "last": 600, "mean": 400.0, "sum": 1200 }]),
        ),
        (
            "MATCH (c:Commit) RETURN DISTINCT c.author ORDER BY c.author DESC",
            json!([{ "c.author": "Bob" }, { "c.author": "Ada" }]),
        ),
        ("MATCH (c:Commit) RETURN c.time AS t ORDER BY t SKIP 1 LIMIT 2", json!([{ "t": 200 }, { "t": 300 }])),
        (
            "MATCH (x:File {path: 'none'}) RETURN count(*) AS n, collect(x) AS l, max(x.name) AS m, sum(1) AS s",
            json!([{ "n": 0, "l": [], "m": null, "s": 0 }]),
        ),
        ("MATCH (x:File {path: 'none'}) RETURN x.name, count(*)", json!([])),
        ("UNWIND [3, 1, 2, 1] AS x WITH DISTINCT x ORDER BY x RETURN collect(x) AS l", json!([{ "l": [1, 2, 3] }])),
        ("UNWIND [] AS x RETURN x", json!([])),
        (
            "UNWIND [1, 2, 2, null] AS x RETURN count(DISTINCT x) AS d, count(x) AS n, count(*) AS all",
            json!([{ "d": 2, "n": 3, "all": 4 }]),
        ),
        ("UNWIND [1, 2, 3] AS x RETURN 10 * count(*) + max(x) AS y", json!([{ "y": 33 }])),
        ("RETURN 1 AS x UNION RETURN 1 AS x UNION RETURN 2 AS x", json!([{ "x": 1 }, { "x": 2 }])),
        ("RETURN 1 AS x UNION ALL RETURN 1 AS x", json!([{ "x": 1 }, { "x": 1 }])),
        ("WITH 1 AS x, 'a' AS y RETURN *", json!([{ "x": 1, "y": "a" }])),
        // Expressions.
        (
            "RETURN 1 + 2 * 3 ^ 2 AS a, 7 / 2 AS b, 7 % 2 AS c, -(3) AS d, 'a' + 1 AS e, [1] + [2] + 3 AS f, 7.0 / 2 AS g",
            json!([{ "a": 19.0, "b": 3, "c": 1, "d": -3, "e": "a1", "f": [1, 2, 3], "g": 3.5 }]),
        ),
        (
            "RETURN CASE 2 WHEN 1 THEN 'one' WHEN 2 THEN 'two' END AS a, CASE WHEN false THEN 1 ELSE 2 END AS b, CASE 3 WHEN 1 THEN 1 END AS c",
            json!([{ "a": "two", "b": 2, "c": null }]),
        ),
        (
            "WITH [1, 2, 3, 4] AS l RETURN l[0] AS a, l[-1] AS b, l[1..3] AS c, l[9] AS d, head(l) AS e, last(l) AS f, tail(l) AS g, size(l) AS h, reverse(l) AS i",
            json!([{ "a": 1, "b": 4, "c": [2, 3], "d": null, "e": 1, "f": 4, "g": [2, 3, 4], "h": 4, "i": [4, 3, 2, 1] }]),
        ),
        (
            "RETURN [x IN range(1, 5) WHERE x % 2 = 1 | x * x] AS a, all(x IN [1, 2] WHERE x > 0) AS b, any(x IN [] WHERE true) AS c, none(x IN [1] WHERE x > 1) AS d, single(x IN [1, 2] WHERE x = 2) AS e",
            json!([{ "a": [1, 9, 25], "b": true, "c": false, "d": true, "e": true }]),
        ),
        (
            "RETURN toLower('AB') AS a, toUpper('ä') AS b, trim(' x ') AS c, split('a,b', ',') AS d, replace('aXa', 'X', '-') AS e, substring('hello', 1, 3) AS f, left('abc', 2) AS g, right('abc', 2) AS h, size('äö') AS i",
            json!([{ "a": "ab", "b": "Ä", "c": "x", "d": ["a", "b"], "e": "a-a", "f": "ell", "g": "ab", "h": "bc", "i": 2 }]),
        ),
        (
            "RETURN toString(1.0) AS a, toInteger('12') AS b, toInteger('x') AS c, toFloat('1.5') AS d, toBoolean('TRUE') AS e, abs(-2) AS f, round(2.5) AS g, sign(-3) AS h, coalesce(null, 1) AS i",
            json!([{ "a": "1.0", "b": 12, "c": null, "d": 1.5, "e": true, "f": 2, "g": 3.0, "h": -1, "i": 1 }]),
        ),
        (
            "WITH { a: 1, b: [1, { c: 2 }] } AS m RETURN m.a AS a, m.b[1].c AS c, keys(m) AS k, m.missing AS x, m['a'] AS y",
            json!([{ "a": 1, "c": 2, "k": ["a", "b"], "x": null, "y": 1 }]),
        ),
        (
            "RETURN 1 = 1.0 AS a, '1' = 1 AS b, [1, null] = [1, 2] AS c, [1] = [1.0] AS d, 'a' < 'b' AS e, 1 < 'a' AS f, true XOR true AS g",
            json!([{ "a": true, "b": false, "c": null, "d": true, "e": true, "f": null, "g": false }]),
        ),
        (
            "MATCH (f:File {path: $path}) RETURN keys(f) AS k, properties(f).name AS n, f:Tool AS t, f:Commit AS c",
            json!([{ "k": ["description", "exists", "first_seen", "last_seen", "name", "path", "root"], "n": "a.ts", "t": true, "c": false }]),
        ),
        (
            "MATCH (a)-[r:CALLS]->(b:Tool {path: $path}) WHERE a:Tool RETURN startNode(r).name AS s, endNode(r).name AS e",
            json!([{ "s": "b.ts", "e": "a.ts" }]),
        ),
        ("// a comment\nRETURN 'it''s' /* another */ AS x".replace("''", "\\'").as_str(), json!([{ "x": "it's" }])),
        ("MATCH (`f`:File) WHERE f.path = $path RETURN f.name AS `the name`;", json!([{ "the name": "a.ts" }])),
    ] {
        let found = rows(&view, cypher);
        if found != expected {
            wrong.push(format!("{cypher}\n  {found}\n  {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_column_of_nodes_is_their_properties() {
    let fixture = Fixture::new();
    let view = fixture.view(&small(), None);
    let found = rows(&view, "MATCH (f:File {path: $path}) RETURN f");
    let (first, last) = (id(1).to_string(), id(4).to_string());
    let expected = json!([{ "path": "tools/a.ts", "name": "a.ts", "root": ".", "first_seen": first, "last_seen": last, "exists": true, "description": "Adds numbers" }]);
    assert_eq!(found, expected);
    let two = rows(&view, "MATCH (f:File {path: $path}) RETURN f, 1 AS one");
    assert_eq!(two, json!([{ "f": expected[0], "one": 1 }]));
}

#[test]
fn a_view_is_as_of_its_commit() {
    let (fixture, source) = (Fixture::new(), small());
    let names = "MATCH (f:File) RETURN collect(f.name) AS l";
    for (commit, expected) in [
        (1, json!(["README.md", "a.ts", "lib.ts"])),
        (3, json!(["a.test.ts", "a.ts", "b.ts", "lib.ts"])),
        (6, json!(["side.md", "a.test.ts", "a.ts", "b.ts", "core.ts"])),
        (2, json!(["README.md", "a.test.ts", "a.ts", "b.ts", "lib.ts"])),
    ] {
        let hash = id(commit).to_string();
        let view = fixture.view(&source, hash.get(..8));
        assert_eq!(view.commit(), id(commit));
        assert_eq!(rows(&view, names), json!([{ "l": expected }]), "{commit}");
        // Commit 5 is on a branch that only the merge has.
        let commits = if commit == 6 { 6 } else { commit };
        assert_eq!(rows(&view, "MATCH (c:Commit) RETURN count(*) AS n"), json!([{ "n": commits }]), "{commit}");
    }
    let unknown = fixture.store.view(".", &source, Some("ffff")).unwrap_err();
    assert_eq!(unknown.to_string().split(" does").next(), Some("The commit 'ffff'"));
}

#[test]
fn invisible_paths_do_not_exist() {
    let view = small_view();
    let visible = |path: &str| !path.ends_with("a.ts") && path != "tools/lib.ts";
    let params = json!({ "path": "tools/a.ts" });
    let ask = |cypher: &str| {
        json!(view.query(cypher, params.as_object().unwrap(), &crate::QueryBudget::default(), &visible).unwrap())
    };
    assert_eq!(ask("MATCH (f {path: $path}) RETURN f"), json!([]));
    assert_eq!(ask("MATCH (f:File)--(x) WHERE f.name = 'a.ts' RETURN x"), json!([]));
    assert_eq!(ask("MATCH (r:Run) RETURN r.id AS r"), json!([{ "r": "r1" }]));
    assert_eq!(ask("MATCH (c:Commit)-[:CHANGED]->(f) WHERE f.name = 'a.ts' RETURN count(*) AS n"), json!([{ "n": 0 }]));
    let renamed = ask("MATCH (f {path: 'tools/core.ts'})<-[r:CHANGED]-() RETURN r.from AS a, r.status AS s");
    assert_eq!(renamed, json!([{ "a": null, "s": "renamed" }]));
    assert_eq!(ask("MATCH (f)-[r:WAS_RENAMED_FROM]->() RETURN r"), json!([]));
    assert!(view.impact("tools/a.ts", &visible).is_err() && view.history("tools/a.ts", &visible).is_err());
}

#[test]
fn parameters_of_all_types_are_values() {
    let view = small_view();
    let params = json!({ "list": [1, "a", null, 2.5, { "k": true }] });
    let found = ask(&view, "UNWIND $list AS x RETURN x", params).unwrap();
    let expected = [json!(1), json!("a"), json!(null), json!(2.5), json!({ "k": true })];
    assert_eq!(found, expected.map(|x| json!({ "x": x })));
}
