//! The cache: increments, several connections, interruptions and damage.

use super::fixture::{FakeRepository, Fixture, change, facts, id, rows, small};
use crate::{Activity, ChangeStatus, GraphError, GraphLimits, GraphStore, RunRecord};
use serde_json::json;
use std::fs;
use std::thread;
use tgp_base::error::{ErrorCode, PartError};

fn long(commits: u32) -> FakeRepository {
    let mut source = FakeRepository::default();
    let text = || vec![facts(&[], &[], Some("A tool"))];
    source.commit(1, &[], vec![change("tools/f1.ts", ChangeStatus::Added)], text());
    for number in 2..=commits {
        let path = format!("tools/f{}.ts", number % 50);
        let status = if number < 50 { ChangeStatus::Added } else { ChangeStatus::Modified };
        source.commit(number, &[number - 1], vec![change(&path, status)], text());
    }
    source
}

const COUNTS: &str = "MATCH (c:Commit) OPTIONAL MATCH (c)-[r:CHANGED]->(f) RETURN count(DISTINCT c) AS c, count(r) AS r, count(DISTINCT f) AS f";

#[test]
fn an_ingest_adds_what_is_missing_once() {
    let (fixture, mut source) = (Fixture::new(), small());
    let first = fixture.store.ingest(".", &source, Some(&id(3).to_string())).unwrap();
    assert_eq!((first.commits_added, first.files), (3, 4));
    let second = fixture.store.ingest(".", &source, None).unwrap();
    assert_eq!((second.commits_added, second.files), (3, 5));
    assert_eq!(fixture.store.ingest(".", &source, None).unwrap().commits_added, 0);
    // Each text is parsed once: four of the third commit, and four others of the last one.
    assert_eq!(source.parsed.get(), 8);
    let again = GraphStore::open(&fixture.folder.path().join("graph.db"), GraphLimits::default()).unwrap();
    assert_eq!(again.ingest(".", &source, None).unwrap().commits_added, 0);
    assert_eq!(source.parsed.get(), 8, "facts are read from the file");
    source.commit(7, &[6], vec![change("new.md", ChangeStatus::Added)], Vec::new());
    let view = again.view(".", &source, None).unwrap();
    assert_eq!((view.commit(), source.parsed.get()), (id(7), 9));
    assert_eq!(again.ingest("/elsewhere", &source, None).unwrap().commits_added, 7, "another repository");
    let other = again.view("/elsewhere", &source, None).unwrap();
    assert_eq!(rows(&other, "MATCH (f {path: 'new.md'}) RETURN f.root AS r"), json!([{ "r": "/elsewhere" }]));
}

#[test]
fn increments_and_a_fresh_ingest_are_the_same_graph() {
    let source = small();
    let (stepwise, at_once) = (Fixture::new(), Fixture::new());
    for commit in [5, 1, 3, 2, 4] {
        stepwise.view(&source, Some(&id(commit).to_string()));
    }
    for cypher in [
        "MATCH (n) RETURN properties(n) AS n",
        "MATCH (a)-[r]->(b) RETURN properties(a) AS a, type(r) AS t, properties(r) AS r, properties(b) AS b",
        "MATCH (f:File)<-[:CHANGED]-(c:Commit) RETURN f.path AS f, c.hash AS c",
    ] {
        let (one, other) = (rows(&stepwise.view(&source, None), cypher), rows(&at_once.view(&source, None), cypher));
        assert_eq!(one, other, "{cypher}");
    }
}

#[test]
fn an_interrupted_ingest_continues() {
    let mut source = long(1000);
    let fixture = Fixture::new();
    source.fails_after = Some(700);
    assert_eq!(fixture.store.ingest(".", &source, None).unwrap_err(), GraphError::Cancelled);
    source.fails_after = None;
    // Two of the batches were kept.
    assert_eq!(fixture.store.ingest(".", &source, None).unwrap().commits_added, 1000 - 512);
    assert_eq!(rows(&fixture.view(&source, None), COUNTS), json!([{ "c": 1000, "r": 1000, "f": 50 }]));
}

#[test]
fn several_connections_at_once_make_one_graph() {
    let fixture = Fixture::new();
    let file = fixture.folder.path().join("graph.db");
    let threads: Vec<_> = (0..4)
        .map(|at| {
            let file = file.clone();
            thread::spawn(move || {
                let mut source = long(600);
                // One of them stops in the middle.
                source.fails_after = (at == 0).then_some(300);
                let store = GraphStore::open(&file, GraphLimits::default()).unwrap();
                let outcome = store.ingest(".", &source, None);
                assert_eq!(
                    outcome.is_err(),
                    at == 0
                        && outcome != Ok(crate::Ingested { commit: id(600).to_string(), commits_added: 0, files: 50 })
                );
            })
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let source = long(600);
    assert_eq!(rows(&fixture.view(&source, None), COUNTS), json!([{ "c": 600, "r": 600, "f": 50 }]));
    let connection = rusqlite::Connection::open(&file).unwrap();
    let stored: i64 = connection.query_row("SELECT count(*) FROM commits", [], |row| row.get(0)).unwrap();
    assert_eq!(stored, 600);
}

type Damage = fn(&std::path::Path);

#[test]
fn damaged_and_older_files_are_rebuilt() {
    let source = long(300);
    let expected = json!([{ "c": 300, "r": 300, "f": 50 }]);
    let damage: [(&str, Damage); 5] = [
        ("not a database", |file| fs::write(file, "x".repeat(10_000)).unwrap()),
        ("cut", |file| fs::write(file, &fs::read(file).unwrap()[..6000]).unwrap()),
        ("empty", |file| fs::write(file, "").unwrap()),
        ("other version", |file| {
            rusqlite::Connection::open(file).unwrap().pragma_update(None, "user_version", 99).unwrap();
        }),
        ("missing table", |file| {
            rusqlite::Connection::open(file).unwrap().execute_batch("DROP TABLE facts").unwrap();
        }),
    ];
    for (name, damage) in damage {
        let fixture = Fixture::new();
        let file = fixture.folder.path().join("graph.db");
        fixture.store.ingest(".", &source, None).unwrap();
        drop(fixture.store);
        damage(&file);
        let store = GraphStore::open(&file, GraphLimits::default()).unwrap_or_else(|error| panic!("{name}: {error}"));
        let view = store.view(".", &source, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(rows(&view, COUNTS), expected, "{name}");
    }
}

#[test]
fn damage_that_is_found_later_is_rebuilt_too() {
    let source = long(300);
    let fixture = Fixture::new();
    let file = fixture.folder.path().join("graph.db");
    fixture.store.ingest(".", &source, None).unwrap();
    drop(fixture.store);
    rusqlite::Connection::open(&file)
        .unwrap()
        .execute("UPDATE commits SET record = x'ff' WHERE seq = 200", [])
        .unwrap();
    let store = GraphStore::open(&file, GraphLimits::default()).unwrap();
    let view = store.view(".", &source, None).unwrap();
    assert_eq!(rows(&view, COUNTS), json!([{ "c": 300, "r": 300, "f": 50 }]));
}

#[test]
fn a_file_that_cannot_be_made_is_an_error_without_a_path() {
    let folder = tempfile::tempdir().unwrap();
    let error = GraphStore::open(&folder.path().join("missing/graph.db"), GraphLimits::default()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Io);
    assert!(!error.to_string().contains("missing"), "{error}");
}

#[test]
fn limits_of_the_store_are_enforced() {
    let source = long(100);
    let with = |limits: GraphLimits| {
        let folder = tempfile::tempdir().unwrap();
        let store = GraphStore::open(&folder.path().join("graph.db"), limits).unwrap();
        store.ingest(".", &source, None).map(|ingested| ingested.commits_added).map_err(|error| error.to_string())
    };
    let limits = GraphLimits::default();
    assert_eq!(with(GraphLimits { commits: 100, files: 50, changes: 100, ..limits }), Ok(100));
    for (limits, what) in [
        (GraphLimits { commits: 99, ..limits }, "99 commits"),
        (GraphLimits { files: 49, ..limits }, "49 files"),
        (GraphLimits { changes: 99, ..limits }, "99 changes"),
    ] {
        assert!(with(limits).unwrap_err().contains(what), "{what}");
    }
}

#[test]
fn views_over_the_limit_of_bytes_are_forgotten_and_made_again() {
    let source = long(60);
    let folder = tempfile::tempdir().unwrap();
    let limits = GraphLimits { view_bytes: 1, ..GraphLimits::default() };
    let store = GraphStore::open(&folder.path().join("graph.db"), limits).unwrap();
    for (repository, commit) in [("a", 60), ("b", 60), ("a", 30), ("a", 60), ("b", 10)] {
        let view = store.view(repository, &source, Some(&id(commit).to_string())).unwrap();
        assert_eq!(
            rows(&view, "MATCH (c:Commit) RETURN count(*) AS n"),
            json!([{ "n": commit }]),
            "{repository} {commit}"
        );
    }
}

#[test]
fn activity_is_read_after_the_last_position_and_again_from_a_new_ledger() {
    let (fixture, source) = (Fixture::new(), small());
    let runs = |expected: serde_json::Value| {
        let view = fixture.view(&source, None);
        assert_eq!(rows(&view, "MATCH (r:Run) RETURN collect(r.id) AS l"), json!([{ "l": expected }]));
    };
    runs(json!(["r2", "r1"]));
    let run = |id: &str, time| Activity::Run(RunRecord { id: id.to_owned(), time, ..RunRecord::default() });
    source.activity.borrow_mut().push(run("r3", 9000));
    runs(json!(["r3", "r2", "r1"]));
    source.activity.replace(vec![run("other", 1)]);
    runs(json!(["other"]));
}

#[test]
fn the_oldest_activity_over_the_limit_is_dropped() {
    let source = small();
    let run = |at: i64| Activity::Run(RunRecord { id: format!("r{at}"), time: at, ..RunRecord::default() });
    source.activity.replace((0..1000).map(run).collect());
    let folder = tempfile::tempdir().unwrap();
    let limits = GraphLimits { activities: 100, ..GraphLimits::default() };
    let store = GraphStore::open(&folder.path().join("graph.db"), limits).unwrap();
    let view = store.view(".", &source, None).unwrap();
    let found = rows(&view, "MATCH (r:Run) RETURN count(*) AS n, max(r.time) AS last");
    let count = found[0]["n"].as_u64().unwrap();
    assert!((50..=100).contains(&count) && found[0]["last"] == 999, "{found}");
}
