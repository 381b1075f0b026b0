//! A truncated end: recorded once, always reported, and `Removed` if it was on the disk.

use crate::samples::{fill, open};
use crate::{Cause, Durability, Head, Ledger, LedgerOptions, ProblemKind, Query, Witness};
use std::path::Path;

/// A ledger of `kept` events whose end is missing; a commit has seen that end.
fn cut(place: &Path, kept: u64, is_signed: bool) -> Head {
    let ledger = open(place);
    fill(&ledger, 2);
    ledger.checkpoint().unwrap();
    fill(&ledger, 3);
    if is_signed {
        ledger.checkpoint().unwrap();
    }
    let head = ledger.position().unwrap();
    // As after a killed process.
    std::mem::forget(ledger);
    let connection = rusqlite::Connection::open(place.join("ledger.db")).unwrap();
    connection.execute("DELETE FROM events WHERE seq > ?1", [i64::try_from(kept).unwrap()]).unwrap();
    connection.execute("DELETE FROM checkpoints WHERE size > ?1", [i64::try_from(kept).unwrap()]).unwrap();
    head
}

fn seen(head: &Head, durability: Durability) -> Witness {
    Witness { size: head.size, head: head.hash, durability }
}

fn found(ledger: &Ledger, witness: Witness) -> (ProblemKind, u64, Option<Cause>) {
    let problem = ledger.verify(&[witness]).unwrap().problem.unwrap();
    (problem.kind, problem.seq, problem.cause)
}

#[test]
fn a_cut_is_recorded_once_and_stays_when_other_events_take_its_place() {
    for (durability, is_signed, cause) in [
        (Durability::Process, false, Cause::Unknown),
        (Durability::Power, false, Cause::Removed),
        (Durability::Process, true, Cause::Removed),
    ] {
        let place = tempfile::tempdir().unwrap();
        let head = cut(place.path(), 6, is_signed);
        assert_eq!(head.size, 10);
        let witness = seen(&head, durability);
        let expected = (ProblemKind::Truncated, 7, Some(cause));
        let ledger = open(place.path());
        assert_eq!(found(&ledger, witness), expected);
        let recorded = ledger.record_cut(&witness).unwrap().unwrap();
        assert_eq!((recorded.after.size, recorded.up_to), (6, head));
        assert_eq!(ledger.record_cut(&witness).unwrap(), None);
        ledger.flush().unwrap();
        assert_eq!(found(&ledger, witness), expected);
        fill(&ledger, 10);
        assert_eq!(found(&ledger, witness), expected);
        assert_eq!(ledger.record_cut(&witness).unwrap(), None);
        let events = ledger.tail(&Query { limit: 100, ..Query::default() }).unwrap();
        assert_eq!(events.iter().filter(|event| event.content.contains("\"cut\"")).count(), 1);
        assert_eq!(ledger.checkpoint().is_ok(), !is_signed, "no checkpoint is signed for a removed end");
    }
}

#[test]
fn a_recorded_cut_does_not_hide_later_changes() {
    let place = tempfile::tempdir().unwrap();
    let head = cut(place.path(), 6, false);
    let witness = seen(&head, Durability::Process);
    let ledger = open(place.path());
    ledger.record_cut(&witness).unwrap().unwrap();
    fill(&ledger, 10);
    ledger.close().unwrap();
    drop(ledger);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    let changed = connection.execute("UPDATE events SET at = at + 1 WHERE seq = 20", []).unwrap();
    assert_eq!(changed, 1);
    drop(connection);
    let (kind, seq, cause) = found(&open(place.path()), witness);
    assert_eq!((kind, cause), (ProblemKind::Changed, None), "at {seq}");
}

#[test]
fn an_unsigned_cut_does_not_explain_a_change() {
    let (place, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let head = cut(place.path(), 6, false);
    let witness = seen(&head, Durability::Process);
    let ledger = open(place.path());
    // The same event, signed with another key.
    let other = open(elsewhere.path());
    other.record_cut(&witness).unwrap().unwrap();
    other.flush().unwrap();
    let record = other.tail(&Query { limit: 1, ..Query::default() }).unwrap().remove(0);
    let body = crate::samples::raw(&record.content);
    let forged = crate::NewEvent { more: Some(&body), ..crate::NewEvent::of_kernel(crate::EventType::Session) };
    ledger.record(&forged).unwrap();
    fill(&ledger, 10);
    assert_eq!(found(&ledger, witness).0, ProblemKind::Changed);
}

#[test]
fn a_removed_end_is_reported_when_other_checkpoints_take_its_place() {
    let place = tempfile::tempdir().unwrap();
    let options = LedgerOptions { checkpoint_every: 5, ..LedgerOptions::new(place.path()) };
    let ledger = Ledger::open(&options).unwrap();
    for _ in 0..10 {
        fill(&ledger, 2);
    }
    let head = ledger.position().unwrap();
    fill(&ledger, 1);
    ledger.close().unwrap();
    drop(ledger);
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    connection.execute_batch("DELETE FROM events WHERE seq > 12; DELETE FROM checkpoints WHERE size > 12").unwrap();
    drop(connection);
    let witness = seen(&head, Durability::Process);
    for pairs in [0, 1, 5, 20] {
        let ledger = Ledger::open(&options).unwrap();
        ledger.record_cut(&witness).unwrap();
        fill(&ledger, pairs);
        assert_eq!(found(&ledger, witness), (ProblemKind::Truncated, 13, Some(Cause::Removed)), "{pairs}");
    }
}

#[test]
fn a_cut_is_found_among_many_sessions_and_not_redacted() {
    struct Hides;
    impl crate::Redact for Hides {
        fn redact(&self, _content: String) -> String {
            "{}".to_owned()
        }
        fn concerns(&self, _members: &serde_json::Map<String, serde_json::Value>) -> bool {
            true
        }
        fn concerns_plain(&self, _name: &str, _json: &str) -> bool {
            true
        }
    }
    let place = tempfile::tempdir().unwrap();
    let head = cut(place.path(), 6, false);
    let witness = seen(&head, Durability::Process);
    let options = LedgerOptions { redact: Some(std::sync::Arc::new(Hides)), ..LedgerOptions::new(place.path()) };
    let ledger = Ledger::open(&options).unwrap();
    ledger.record_cut(&witness).unwrap().unwrap();
    let of_application = crate::NewEvent {
        importance: crate::Importance::Later,
        ..crate::NewEvent::of_kernel(crate::EventType::Session)
    };
    for _ in 0..=crate::query::MAX_EVENTS {
        ledger.record(&of_application).unwrap();
    }
    ledger.flush().unwrap();
    assert_eq!(found(&ledger, witness), (ProblemKind::Truncated, 7, Some(Cause::Unknown)));
    assert_eq!(ledger.record_cut(&witness).unwrap(), None);
}

#[test]
fn pruning_does_not_split_a_recorded_cut() {
    let place = tempfile::tempdir().unwrap();
    let head = cut(place.path(), 6, false);
    let witness = seen(&head, Durability::Process);
    let options = LedgerOptions { checkpoint_every: 1, ..LedgerOptions::new(place.path()) };
    let ledger = Ledger::open(&options).unwrap();
    ledger.record_cut(&witness).unwrap().unwrap();
    for _ in 0..3 {
        fill(&ledger, 1);
        ledger.checkpoint().unwrap();
    }
    // There are checkpoints at 6, 9, 11 and 13; the cut ends at 10.
    let prune = |keep| ledger.prune(Some(ledger.position().unwrap().size - keep), None, crate::Prune::Events).unwrap();
    assert_eq!(prune(10).first, 7);
    assert_eq!(found(&ledger, witness), (ProblemKind::Truncated, 7, Some(Cause::Unknown)));
    assert_eq!(prune(11).first, 12);
    assert_eq!(ledger.verify(&[witness]).unwrap().problem, None);
}
