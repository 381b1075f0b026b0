//! Queries that are refused, with code, position and advice.

use super::fixture::{Fixture, ask, small, small_view};
use crate::GraphError;
use serde_json::json;
use tgp_base::error::{ErrorCode, PartError};

#[test]
fn queries_that_are_not_valid_name_the_place_and_the_fix() {
    let view = small_view();
    let mut wrong = Vec::new();
    for (cypher, line, column, part) in [
        ("CREATE (f:File)", 1, 1, "read-only, so CREATE"),
        ("MATCH (f) SET f.path = 1", 1, 11, "read-only, so SET"),
        ("MATCH (f) DETACH DELETE f", 1, 11, "read-only"),
        ("MERGE (f)", 1, 1, "read-only"),
        ("CALL db.labels()", 1, 1, "read-only, so CALL"),
        ("LOAD CSV FROM 'x' AS row RETURN row", 1, 1, "read-only, so LOAD"),
        ("MATCH (f)\nREMOVE f.x", 2, 1, "read-only"),
        ("MATCH (f) FOREACH (x IN [1] | SET f.a = 1)", 1, 11, "read-only"),
        ("MATCH (f) WITH f CREATE (g) RETURN f", 1, 18, "read-only"),
        ("MATCH (f:Fil) RETURN f", 1, 10, "Did you mean 'File'?"),
        ("MATCH (f)-[:IMPORT]->(g) RETURN f", 1, 13, "Did you mean 'IMPORTS'?"),
        ("MATCH (f:File {pth: 'x'}) RETURN f", 1, 16, "Did you mean 'path'?"),
        ("MATCH (f:File) RETURN f.pat", 1, 25, "Did you mean 'path'?"),
        ("MATCH (f:File) RETRUN f", 1, 16, "Did you mean 'RETURN'?"),
        ("MATCH (file:File) RETURN fil", 1, 26, "Did you mean 'file'?"),
        ("RETURN cuont(1)", 1, 8, "Did you mean 'count'?"),
        ("RETURN tolwer('a')", 1, 8, "Did you mean 'toLower'?"),
        ("RETURN head()", 1, 8, "takes 1 arguments, not 0"),
        ("MATCH (f) WHERE count(f) > 1 RETURN f", 1, 17, "Aggregates are allowed"),
        ("RETURN count(count(1))", 1, 14, "Aggregates are allowed"),
        ("MATCH (f:File)", 1, 15, "has no RETURN"),
        ("", 1, 1, "has no RETURN"),
        ("MATCH (f RETURN f", 1, 10, "Expected ')'"),
        ("RETURN 'abc", 1, 8, "no end"),
        ("RETURN 1 < 2 < 3", 1, 14, "cannot be chained"),
        ("RETURN 12345678901234567890", 1, 8, "too large"),
        ("RETURN 1x", 1, 8, "number is not valid"),
        ("RETURN 9223372036854775807 + 1", 1, 28, "does not fit"),
        ("RETURN 1 / 0", 1, 10, "Division by zero"),
        ("RETURN true + 1", 1, 13, "Arithmetic needs numbers"),
        ("RETURN NOT 1", 1, 12, "must be a boolean"),
        ("RETURN toLower(1)", 1, 8, "'toLower' does not take a number"),
        ("RETURN 'a' =~ '('", 1, 12, "regular expression is not valid"),
        ("RETURN 1 AS a, 2 AS a", 1, 16, "occurs twice"),
        ("WITH 1 RETURN 1", 1, 8, "needs a name"),
        ("MATCH (f) WITH f.path AS p RETURN f", 1, 35, "'f' is not defined"),
        ("MATCH (f) WHERE (f)-->(g) RETURN f", 1, 24, "'g' is not defined"),
        ("RETURN 1 AS a UNION RETURN 2 AS b", 1, 15, "same columns"),
        ("RETURN 1 LIMIT -1", 1, 16, "not negative"),
        ("MATCH p = shortestPath((a)-[*]-(b)) RETURN p", 1, 11, "not supported"),
        ("MATCH (a)-[r*3..1]->(b) RETURN a", 1, 13, "smaller than the lower"),
        ("RETURN \u{1}", 1, 8, "not part of Cypher"),
    ] {
        let found = match ask(&view, cypher, json!({})) {
            Err(GraphError::Query(fault)) => {
                let error = GraphError::Query(fault.clone());
                assert_eq!(error.code(), ErrorCode::Validation);
                let fits = error.to_string().contains(part) && (fault.line, fault.column) == (line, column);
                if fits { continue } else { error.to_string() }
            }
            other => format!("{other:?}"),
        };
        wrong.push(format!("{cypher}\n  {found}"));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_missing_parameter_is_an_error_also_where_it_is_not_used() {
    let view = small_view();
    let error = ask(&view, "MATCH (f:File {path: 'none'}) WHERE f.name = $name RETURN f", json!({})).unwrap_err();
    assert_eq!(error, GraphError::MissingParameter("name".to_owned()));
    assert_eq!(error.code(), ErrorCode::Validation);
}

#[test]
fn without_a_ledger_sessions_and_runs_are_an_error() {
    let mut source = small();
    source.has_ledger = false;
    let fixture = Fixture::new();
    let view = fixture.view(&source, None);
    for cypher in
        ["MATCH (r:Run) RETURN r", "MATCH (x) WHERE x:Session RETURN x", "MATCH (f) WHERE (f)--(:Run) RETURN f"]
    {
        let error = ask(&view, cypher, json!({})).unwrap_err();
        assert_eq!(error.code(), ErrorCode::Ledger, "{cypher}: {error}");
    }
    assert!(view.impact("tools/a.ts", &|_| true).unwrap().runs.is_empty());
}
