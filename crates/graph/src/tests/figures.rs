//! Measurements of the graph. Run by name, in a release build: `cargo test --release figures -- --ignored --nocapture`.

use super::fixture::{FakeRepository, Fixture, ask, change, facts};
use crate::ChangeStatus;
use serde_json::json;
use std::time::Instant;

/// A repository with `tools` tools and `commits` commits, of which each changes three tools.
fn large(tools: u32, commits: u32) -> FakeRepository {
    let mut source = FakeRepository { has_ledger: true, ..FakeRepository::default() };
    let path = |tool: u32| format!("tools/group{}/tool_number_{tool}.ts", tool % 40);
    let text = |tool: u32| {
        let import = format!("../group{}/tool_number_{}.ts", (tool / 2) % 40, tool / 2);
        facts(&[&import], &[&path(tool / 3)], Some("A tool that does one thing"))
    };
    let all = (0..tools).map(|tool| change(&path(tool), ChangeStatus::Added)).collect();
    source.commit(1, &[], all, (0..tools).map(text).collect());
    for number in 2..=commits {
        let changed: Vec<u32> =
            (0..3).map(|at| number.wrapping_mul(2_654_435_761).wrapping_add(at * 977) % tools).collect();
        let changes = changed.iter().map(|tool| change(&path(*tool), ChangeStatus::Modified)).collect();
        // Trees of old commits are not needed.
        source.commit(number, &[number - 1], changes, changed.iter().map(|tool| text(*tool)).collect());
        source.forget_tree(number - 1);
    }
    source
}

#[test]
#[ignore = "takes a minute"]
#[expect(clippy::print_stdout, reason = "the figures are its result")]
fn figures() {
    for (tools, commits) in [(1000, 5000), (10_000, 50_000)] {
        let mut source = large(tools, commits);
        let fixture = Fixture::new();
        let start = Instant::now();
        fixture.store.ingest(".", &source, None).unwrap();
        println!("{tools} tools, {commits} commits: ingest {:?}", start.elapsed());
        let view = fixture.view(&source, None);
        println!("  history {} KB, commit {} KB", view.data.history.weight() / 1024, view.data.state.weight() / 1024);
        drop(view);
        let again =
            crate::GraphStore::open(&fixture.folder.path().join("graph.db"), crate::GraphLimits::default()).unwrap();
        let start = Instant::now();
        again.view(".", &source, None).unwrap();
        println!("  view from the file {:?}", start.elapsed());
        for number in commits + 1..commits + 4 {
            let changes = vec![change("tools/group0/tool_number_0.ts", ChangeStatus::Modified)];
            source.commit(number, &[number - 1], changes, vec![facts(&[], &[], Some("Changed"))]);
            let start = Instant::now();
            again.view(".", &source, None).unwrap();
            println!("  next view {:?}", start.elapsed());
        }
        let view = again.view(".", &source, None).unwrap();
        for cypher in [
            "MATCH (f:File {path: $path}) RETURN f",
            "MATCH (f:File {path: $path})<-[:IMPORTS*1..3]-(g) RETURN DISTINCT g.path",
            "MATCH (f:File {path: $path})<-[r:CHANGED]-(c:Commit) RETURN c.hash, r.status ORDER BY c.time DESC LIMIT 10",
            "MATCH (f:File) WHERE f.path STARTS WITH 'tools/group1/' RETURN count(*)",
            "MATCH (t:Tool) WHERE NOT (t)-[:TESTED_BY]->() RETURN count(*)",
            "MATCH (f:File)<-[:CHANGED]-(c:Commit) RETURN f.path AS p, count(*) AS n ORDER BY n DESC LIMIT 5",
        ] {
            let mut times: Vec<_> = (0..21)
                .map(|_| {
                    let start = Instant::now();
                    let outcome = ask(&view, cypher, json!({ "path": "tools/group7/tool_number_7.ts" }));
                    (start.elapsed(), outcome.map(|rows| rows.len()).map_err(|error| error.to_string()))
                })
                .collect();
            times.sort_by_key(|(time, _)| *time);
            println!("  p50 {:?} {:?} {cypher}", times[10].0, times[10].1);
        }
        let start = Instant::now();
        view.impact("tools/group1/tool_number_1.ts", &|_| true).unwrap();
        println!("  impact {:?}", start.elapsed());
        let start = Instant::now();
        view.history("tools/group0/tool_number_0.ts", &|_| true).unwrap();
        println!("  history {:?}", start.elapsed());
    }
}
