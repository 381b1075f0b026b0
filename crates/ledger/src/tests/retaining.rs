//! Old events are dropped up to a checkpoint, and each removal is recorded.

use crate::samples::{call, fill, open, raw};
use crate::{BodyValue, Ledger, LedgerOptions, LinesCheck, NewEvent, ProblemKind, Prune, Query, Retain};
use parking_lot::Mutex;
use std::sync::Arc;

fn open_with(place: &std::path::Path, retain: Retain) -> Ledger {
    Ledger::open(&LedgerOptions { checkpoint_every: 10, retain, ..LedgerOptions::new(place) }).unwrap()
}

#[test]
fn events_are_dropped_up_to_a_checkpoint() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    let large = raw(&format!("\"{}\"", "x".repeat(5000)));
    ledger.record(&call("x-1", &[("args", BodyValue::Json(&large))])).unwrap();
    for _ in 0..5 {
        fill(&ledger, 10);
    }
    ledger.close().unwrap();
    drop(ledger);
    let ledger = open_with(place.path(), Retain { max_events: Some(50), max_age: None, ..Retain::default() });
    ledger.flush().unwrap();
    let first = ledger.tail(&Query { limit: 1000, ..Query::default() }).unwrap()[0].clone();
    assert_eq!(first.seq, 42, "the next checkpoint below 51");
    let found = ledger.verify(&[]).unwrap();
    assert_eq!((found.problem, found.events), (None, 61), "with the event that records it");
    ledger.checkpoint().unwrap();
    let page = ledger.export(0, 1000).unwrap();
    let mut check = LinesCheck::new(ledger.public_key().unwrap(), &[]);
    page.lines.iter().for_each(|line| check.line(line));
    assert_eq!(check.end().problem, None);
    drop(ledger);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    let blobs: i64 = connection.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap();
    assert_eq!(blobs, 0, "values that only they referred to are dropped too");
    connection.execute_batch("DELETE FROM events WHERE seq = 42").unwrap();
    let again = open(place.path());
    assert_eq!(again.verify(&[]).unwrap().problem.unwrap().seq, 42);
    connection.execute_batch("DELETE FROM events WHERE seq <= 45; UPDATE base SET size = 45, hash = (SELECT hash FROM events WHERE seq = 46)").unwrap();
    let problem = again.verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Missing, 1), "no signed event covers those");
}

#[test]
fn events_are_dropped_by_age_except_the_last() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    for at in 0..30 {
        ledger.record(&NewEvent { at: Some(at), ..call("x-1", &[]) }).unwrap();
        if at % 5 == 4 {
            ledger.checkpoint().unwrap();
        }
    }
    ledger.close().unwrap();
    drop(ledger);
    let ledger = open_with(place.path(), Retain { max_events: None, max_age: Some(1000), ..Retain::default() });
    ledger.flush().unwrap();
    let kept = ledger.tail(&Query { limit: 1000, ..Query::default() }).unwrap();
    assert_eq!(
        kept.iter().map(|event| event.seq).collect::<Vec<_>>(),
        [26, 27, 28, 29, 30, 31],
        "and the event that records it"
    );
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
    fill(&ledger, 1);
    assert_eq!(ledger.position().unwrap().size, 33);
}

#[test]
fn changed_events_are_not_dropped() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    fill(&ledger, 20);
    ledger.close().unwrap();
    fill(&open_with(place.path(), Retain::default()), 20);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    connection.execute_batch("UPDATE events SET content = '{}' WHERE seq = 3").unwrap();
    let ledger = open_with(place.path(), Retain { max_events: Some(1), max_age: None, ..Retain::default() });
    ledger.flush().unwrap();
    assert_eq!(ledger.event(1).unwrap().map(|event| event.seq), Some(1));
    let problem = ledger.verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Changed, 3));
}

/// Removes the oldest events up to a checkpoint, as retention would.
fn forget_up_to(connection: &rusqlite::Connection, size: i64) {
    let sql = format!(
        "INSERT OR REPLACE INTO base(one, size, hash) SELECT 1, seq, hash FROM events WHERE seq = {size}; \
         DELETE FROM events WHERE seq <= {size}; DELETE FROM blobs WHERE last <= {size}; \
         DELETE FROM checkpoints WHERE size < {size};"
    );
    connection.execute_batch(&sql).unwrap();
}

fn checkpoint_sizes(connection: &rusqlite::Connection) -> Vec<i64> {
    let mut statement = connection.prepare("SELECT DISTINCT size FROM checkpoints ORDER BY size").unwrap();
    statement.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
}

#[test]
fn unrecorded_removal_up_to_a_checkpoint_is_found() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    for _ in 0..4 {
        fill(&ledger, 10);
    }
    ledger.close().unwrap();
    drop(ledger);
    let sizes = checkpoint_sizes(&rusqlite::Connection::open(place.path().join("ledger.db")).unwrap());
    assert!(sizes.len() >= 4, "{sizes:?}");
    for size in sizes {
        let copy = tempfile::tempdir().unwrap();
        for name in ["ledger.db", "ledger.key", "ledger.pub", "checkpoints"] {
            std::fs::copy(place.path().join(name), copy.path().join(name)).unwrap();
        }
        forget_up_to(&rusqlite::Connection::open(copy.path().join("ledger.db")).unwrap(), size);
        let ledger = open(copy.path());
        let problem = ledger.boot_problem().map(|problem| (problem.kind, problem.seq));
        assert_eq!(problem, Some((ProblemKind::Missing, 1)), "{size} at boot");
        let problem = ledger.verify(&[]).unwrap().problem.unwrap();
        assert_eq!((problem.kind, problem.seq), (ProblemKind::Missing, 1), "{size}");
        let mut check = LinesCheck::new(ledger.public_key().unwrap(), &[]);
        ledger.export(0, 1000).unwrap().lines.iter().for_each(|line| check.line(line));
        assert_eq!(check.end().problem.unwrap().seq, 1, "{size} in the export");
    }
}

#[test]
fn a_retention_event_covers_no_more_than_it_records() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    for _ in 0..5 {
        fill(&ledger, 10);
    }
    ledger.close().unwrap();
    drop(ledger);
    let ledger = open_with(place.path(), Retain { max_events: Some(60), max_age: None, ..Retain::default() });
    ledger.flush().unwrap();
    ledger.close().unwrap();
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    let later = checkpoint_sizes(&connection).into_iter().nth(1).unwrap();
    forget_up_to(&connection, later);
    let problem = open(place.path()).verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Missing, 1));
}

#[test]
fn unsigned_retention_events_are_ignored() {
    let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let event = {
        let other = open_with(elsewhere.path(), Retain::default());
        for _ in 0..4 {
            fill(&other, 10);
        }
        other.close().unwrap();
        let other = open_with(elsewhere.path(), Retain { max_events: Some(20), max_age: None, ..Retain::default() });
        other.flush().unwrap();
        let kind = Some(crate::EventType::Retention);
        other.tail(&Query { limit: 1, kind, ..Query::default() }).unwrap()[0].content.clone()
    };
    let content: serde_json::Value = serde_json::from_str(&event).unwrap();
    let ledger = open_with(place.path(), Retain::default());
    let (head, signature) = (content["head"].as_str().unwrap(), content["signature"].as_str().unwrap());
    let body = [
        ("upTo", BodyValue::Integer(content["upTo"].as_i64().unwrap())),
        ("head", BodyValue::Text(head)),
        ("signature", BodyValue::Text(signature)),
    ];
    for _ in 0..4 {
        fill(&ledger, 10);
    }
    // Every process that may write the folder may write a spool.
    ledger.record(&NewEvent { kind: crate::EventType::Retention, body: &body, ..call("x-1", &[]) }).unwrap();
    ledger.close().unwrap();
    drop(ledger);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    let size = checkpoint_sizes(&connection)[1];
    forget_up_to(&connection, size);
    let problem = open(place.path()).verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Missing, 1));
}

#[test]
fn retention_does_not_cover_foreign_removals() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    for _ in 0..4 {
        fill(&ledger, 10);
    }
    ledger.close().unwrap();
    drop(ledger);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    let size = checkpoint_sizes(&connection)[0];
    forget_up_to(&connection, size);
    let ledger = open_with(place.path(), Retain { max_events: Some(1), max_age: None, ..Retain::default() });
    fill(&ledger, 10);
    assert_eq!(ledger.verify(&[]).unwrap().problem.unwrap().seq, 1);
    let kind = Some(crate::EventType::Retention);
    assert!(ledger.tail(&Query { limit: 1, kind, ..Query::default() }).unwrap().is_empty());
}

#[test]
fn dropping_events_shrinks_the_file_and_is_logged_once() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("ledger.db");
    let ledger = open_with(place.path(), Retain::default());
    let large = raw(&format!("\"{}\"", "x".repeat(3000)));
    for _ in 0..40 {
        for _ in 0..25 {
            ledger.record(&call("x-1", &[("args", BodyValue::Json(&large))])).unwrap();
        }
        ledger.checkpoint().unwrap();
    }
    ledger.close().unwrap();
    drop(ledger);
    let before = std::fs::metadata(&file).unwrap().len();
    let messages = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&messages);
    let ledger = Ledger::open(&LedgerOptions {
        retain: Retain { max_events: Some(50), max_age: None, ..Retain::default() },
        log: Arc::new(move |text| sink.lock().push(text.to_owned())),
        ..LedgerOptions::new(place.path())
    })
    .unwrap();
    while ledger.verify(&[]).unwrap().first < 950 {
        ledger.flush().unwrap();
    }
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
    ledger.close().unwrap();
    let after = std::fs::metadata(&file).unwrap().len();
    assert!(after * 4 < before, "{before} {after}");
    let messages = messages.lock();
    assert!(messages.len() == 1 && messages[0].contains("ledger dropped"), "{messages:?}");
}

#[test]
fn pruning_has_a_dry_run_and_shrinks_a_file_of_an_older_version() {
    let place = tempfile::tempdir().unwrap();
    let file = place.path().join("ledger.db");
    let ledger = open_with(place.path(), Retain::default());
    for _ in 0..20 {
        fill(&ledger, 50);
        ledger.checkpoint().unwrap();
    }
    ledger.close().unwrap();
    let old = rusqlite::Connection::open(&file).unwrap();
    old.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM").unwrap();
    drop(old);
    let before = std::fs::metadata(&file).unwrap().len();
    let ledger = open(place.path());
    let counted = ledger.prune(Some(100), None, Prune::DryRun).unwrap();
    assert_eq!((counted.events, counted.first), (1900, 1901));
    assert_eq!(ledger.verify(&[]).unwrap().first, 1);
    assert_eq!(ledger.prune(Some(100), None, Prune::Events).unwrap(), counted);
    assert_eq!(ledger.prune(Some(100), None, Prune::Events).unwrap().events, 0);
    assert_eq!(ledger.prune(None, Some(0), Prune::Events).unwrap().events, 0);
    let found = ledger.verify(&[]).unwrap();
    assert_eq!((found.problem, found.first), (None, 1901));
    ledger.close().unwrap();
    assert!(std::fs::metadata(&file).unwrap().len() * 2 < before);
}

#[test]
fn default_limits_drop_nothing_of_a_file_of_an_older_version() {
    let place = tempfile::tempdir().unwrap();
    let by_default = Retain { max_events: Some(50), is_default: true, ..Retain::default() };
    for is_old in [true, false] {
        let place = place.path().join(is_old.to_string());
        let ledger = open_with(&place, Retain::default());
        for _ in 0..10 {
            fill(&ledger, 10);
        }
        ledger.close().unwrap();
        drop(ledger);
        if is_old {
            let old = rusqlite::Connection::open(place.join("ledger.db")).unwrap();
            old.execute_batch("PRAGMA auto_vacuum = NONE; VACUUM").unwrap();
        }
        let ledger = open_with(&place, by_default);
        ledger.flush().unwrap();
        assert_eq!(ledger.verify(&[]).unwrap().first == 1, is_old);
        // Not even after a pruning on request.
        ledger.prune(Some(120), None, Prune::Events).unwrap();
        ledger.close().unwrap();
        drop(ledger);
        let first = open_with(&place, by_default).verify(&[]).unwrap().first;
        assert!(!is_old || first < 100, "{first}");
    }
}

#[test]
fn pruning_keeps_events_that_either_limit_keeps() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    for at in 0..30 {
        ledger.record(&NewEvent { at: Some(1_000_000 + at), ..call(&format!("x-{at}"), &[]) }).unwrap();
        ledger.flush().unwrap();
    }
    ledger.checkpoint().unwrap();
    let signed = ledger.last_note().unwrap();
    ledger.record(&call("x-30", &[])).unwrap();
    assert_eq!(ledger.prune(Some(5), Some(0), Prune::DryRun).unwrap().events, 0, "none is older");
    assert_eq!(ledger.last_note().unwrap(), signed, "a dry run signs nothing");
    assert_eq!(ledger.prune(Some(1000), Some(u64::MAX), Prune::DryRun).unwrap().events, 0, "there are fewer");
    assert!(ledger.prune(Some(5), Some(u64::MAX), Prune::DryRun).unwrap().events > 0);
}
