//! The rows of a pattern do not depend on the end at which matching begins.

use super::fixture::{FakeRepository, Fixture, ask, change, facts};
use crate::{ChangeStatus, View};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::Arc;

/// A random history of ten files.
fn random(seeds: &[(u8, u8, u8)]) -> Arc<View> {
    let mut source = FakeRepository::default();
    let path = |file: u8| format!("tools/{}.ts", char::from(b'a' + file % 10));
    let mut exists = [false; 10];
    source.commit(1, &[], Vec::new(), Vec::new());
    for (number, (file, kind, other)) in (2_u32..).zip(seeds) {
        let (file, other) = (file % 10, other % 10);
        let import = format!("./{}.ts", char::from(b'a' + (kind / 4) % 10));
        let text = facts(&[&import], &[&path(other)], Some("A tool"));
        let (is_there, other_is_there) = (exists[usize::from(file)], exists[usize::from(other)]);
        let status = match (is_there, kind % 4) {
            (false, 0) if other_is_there && other != file => {
                exists[usize::from(other)] = false;
                ChangeStatus::Renamed { from: path(other), similarity: 50 + other }
            }
            (false, _) => ChangeStatus::Added,
            (true, 1) => ChangeStatus::Deleted,
            (true, _) => ChangeStatus::Modified,
        };
        exists[usize::from(file)] = status != ChangeStatus::Deleted;
        source.commit(number, &[number - 1], vec![change(&path(file), status)], vec![text]);
    }
    Fixture::new().view(&source, None)
}

fn sorted(view: &View, cypher: &str) -> Vec<String> {
    let mut rows: Vec<String> = ask(view, cypher, json!({})).unwrap().iter().map(Value::to_string).collect();
    rows.sort_unstable();
    rows
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 40, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn both_ends_give_the_same_rows(seeds in prop::collection::vec(any::<(u8, u8, u8)>(), 1..25)) {
        let view = random(&seeds);
        for kind in ["IMPORTS", "CALLS", "CHANGED", "TESTED_BY", "FORGED_BY", "WAS_RENAMED_FROM", "IMPORTS|CALLS"] {
            for hops in ["", "*1..2", "*2..3"] {
                let returns = "RETURN coalesce(a.path, a.hash) AS a, coalesce(b.path, b.hash) AS b, size(r) AS n";
                let returns = if hops.is_empty() { returns.replace("size(r)", "type(r)") } else { returns.to_owned() };
                // The variable that exists is the one at which matching begins.
                let from_a = sorted(&view, &format!("MATCH (x)-[]-() WITH DISTINCT x AS a MATCH (a)-[r:{kind}{hops}]->(b) {returns}"));
                let from_b = sorted(&view, &format!("MATCH (x)-[]-() WITH DISTINCT x AS b MATCH (a)-[r:{kind}{hops}]->(b) {returns}"));
                let turned = sorted(&view, &format!("MATCH (b)<-[r:{kind}{hops}]-(a) {returns}"));
                prop_assert_eq!(&from_a, &from_b, "{}{}", kind, hops);
                prop_assert_eq!(&from_a, &turned, "{}{}", kind, hops);
            }
        }
        for file in "abcdefghij".chars() {
            let path = format!("tools/{file}.ts");
            let by_map = sorted(&view, &format!("MATCH (a {{path: '{path}'}})-[r]-(b) RETURN type(r) AS t, coalesce(b.path, b.hash) AS b"));
            let by_scan = sorted(&view, &format!("MATCH (a)-[r]-(b) WHERE a.path + '' = '{path}' RETURN type(r) AS t, coalesce(b.path, b.hash) AS b"));
            prop_assert_eq!(by_map, by_scan);
        }
    }
}
