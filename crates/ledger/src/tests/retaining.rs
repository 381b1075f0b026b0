//! Old events go up to a checkpoint, and never unseen.

use crate::samples::{call, fill, open, raw};
use crate::{Ledger, LedgerOptions, LinesCheck, NewEvent, Part, ProblemKind, Query, Retain};

fn open_with(place: &std::path::Path, retain: Retain) -> Ledger {
    Ledger::open(&LedgerOptions { checkpoint_every: 10, retain, ..LedgerOptions::new(place) }).unwrap()
}

#[test]
fn events_go_up_to_a_checkpoint_that_vouches_for_them() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    let large = raw(&format!("\"{}\"", "x".repeat(5000)));
    ledger.record(&call("x-1", &[("args", Part::Json(&large))])).unwrap();
    for _ in 0..5 {
        fill(&ledger, 10);
    }
    ledger.close().unwrap();
    drop(ledger);
    let ledger = open_with(place.path(), Retain { max_events: Some(50), max_age: None });
    ledger.flush().unwrap();
    let first = ledger.tail(&Query { limit: 1000, ..Query::default() }).unwrap()[0].clone();
    assert_eq!(first.seq, 42, "the next checkpoint below 51");
    let found = ledger.verify(&[]).unwrap();
    assert_eq!((found.problem, found.events), (None, 60));
    let page = ledger.export(0, 1000).unwrap();
    let mut check = LinesCheck::new(ledger.public_key().unwrap(), &[]);
    page.lines.iter().for_each(|line| check.line(line));
    assert_eq!(check.end().problem, None);
    drop(ledger);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    let blobs: i64 = connection.query_row("SELECT count(*) FROM blobs", [], |row| row.get(0)).unwrap();
    assert_eq!(blobs, 0, "what only they referred to is gone too");
    connection.execute_batch("DELETE FROM events WHERE seq = 42").unwrap();
    let again = open(place.path());
    assert_eq!(again.verify(&[]).unwrap().problem.unwrap().seq, 42);
    connection.execute_batch("DELETE FROM events WHERE seq <= 45; UPDATE base SET size = 45, hash = (SELECT hash FROM events WHERE seq = 46)").unwrap();
    let problem = again.verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Missing, 1), "nobody vouches for those");
}

#[test]
fn events_go_by_their_age_and_the_last_stays() {
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
    let ledger = open_with(place.path(), Retain { max_events: None, max_age: Some(1000) });
    ledger.flush().unwrap();
    let kept = ledger.tail(&Query { limit: 1000, ..Query::default() }).unwrap();
    assert_eq!(kept.iter().map(|event| event.seq).collect::<Vec<_>>(), [26, 27, 28, 29, 30]);
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
    fill(&ledger, 1);
    assert_eq!(ledger.position().unwrap().size, 32);
}

#[test]
fn what_was_changed_is_not_dropped() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open_with(place.path(), Retain::default());
    fill(&ledger, 20);
    ledger.close().unwrap();
    fill(&open_with(place.path(), Retain::default()), 20);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    connection.execute_batch("UPDATE events SET content = '{}' WHERE seq = 3").unwrap();
    let ledger = open_with(place.path(), Retain { max_events: Some(1), max_age: None });
    ledger.flush().unwrap();
    assert_eq!(ledger.event(1).unwrap().map(|event| event.seq), Some(1));
    let problem = ledger.verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Changed, 3));
}
