//! Tests of queries.

use crate::samples::{call, fill, open};
use crate::{Access, EventType, Ledger, LedgerError, LedgerOptions, NewEvent, Query};

fn seqs(ledger: &Ledger, query: Query) -> Vec<u64> {
    ledger.tail(&query).unwrap().iter().map(|event| event.seq).collect()
}

fn all() -> Query {
    Query { limit: 100, ..Query::default() }
}

#[test]
fn all_conditions_hold_and_the_newest_events_come_oldest_first() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    fill(&ledger, 30);
    assert_eq!(seqs(&ledger, Query { limit: 3, ..Query::default() }), [58, 59, 60]);
    assert_eq!(seqs(&ledger, Query { limit: 3, after_seq: Some(10), ..Query::default() }), [11, 12, 13]);
    let path = Some("tools/3.ts".to_owned());
    assert_eq!(seqs(&ledger, Query { path: path.clone(), ..all() }), [7, 8, 21, 22, 35, 36, 49, 50]);
    let session = Some("session-1".to_owned());
    assert_eq!(seqs(&ledger, Query { path: path.clone(), session: session.clone(), ..all() }), [21, 22]);
    let kind = Some(EventType::Result);
    assert_eq!(seqs(&ledger, Query { path: path.clone(), kind, ..all() }), [8, 22, 36, 50]);
    assert_eq!(seqs(&ledger, Query { path, kind, after_seq: Some(8), limit: 2, ..all() }), [22, 36]);
    assert_eq!(seqs(&ledger, Query { kind, limit: 2, ..all() }), [58, 60]);
    assert_eq!(seqs(&ledger, Query { tool: Some("read_file".to_owned()), ..all() }).len(), 60);
    assert!(seqs(&ledger, Query { tool: Some("nobody".to_owned()), ..all() }).is_empty());
    assert_eq!(ledger.event(60).unwrap().unwrap().seq, 60);
    assert_eq!(ledger.event(61).unwrap(), None);
    assert_eq!(ledger.event(0).unwrap(), None);
    assert_eq!(ledger.after(58, 10).unwrap().len(), 2);
}

#[test]
fn late_events_are_found_by_their_time() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    for at in [1000, 2000, 3000, 1500] {
        ledger.record(&NewEvent { at: Some(at), ..call("x-1", &[]) }).unwrap();
    }
    ledger.flush().unwrap();
    assert_eq!(seqs(&ledger, Query { since: Some(1500), until: Some(3000), ..all() }), [2, 4]);
    assert_eq!(seqs(&ledger, Query { since: Some(1500), limit: 2, ..Query::default() }), [2, 3]);
    let session = Some("session-1".to_owned());
    assert_eq!(seqs(&ledger, Query { session, until: Some(2000), ..all() }), [1, 4]);
    assert_eq!(seqs(&ledger, Query { since: Some(1500), after_seq: Some(2), ..all() }), [3, 4]);
}

#[test]
fn a_run_is_a_tree_and_cycles_end() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    for (id, parent) in
        [("a", None), ("b", Some("a")), ("c", Some("b")), ("x", None), ("d", Some("a")), ("a", Some("c"))]
    {
        ledger.record(&NewEvent { parent, ..call(id, &[]) }).unwrap();
    }
    ledger.record(&NewEvent { kind: EventType::Result, ..call("c", &[]) }).unwrap();
    ledger.flush().unwrap();
    let seqs = |root: &str| ledger.tree(root).unwrap().iter().map(|event| event.seq).collect::<Vec<_>>();
    assert_eq!(seqs("b"), [1, 2, 3, 5, 6, 7]);
    assert_eq!(seqs("d"), [5]);
    assert_eq!(seqs("x"), [4]);
    assert!(seqs("nobody").is_empty());
}

#[test]
fn a_reader_writes_nothing() {
    let place = tempfile::tempdir().unwrap();
    let writer = open(place.path());
    fill(&writer, 5);
    let options = LedgerOptions { access: Access::ReadOnly, ..LedgerOptions::new(place.path()) };
    let reader = Ledger::open(&options).unwrap();
    assert_eq!(reader.position().unwrap().size, 10);
    assert_eq!(reader.record(&call("x-1", &[])), Err(LedgerError::ReadOnly));
    assert_eq!(reader.flush(), Err(LedgerError::ReadOnly));
    fill(&writer, 5);
    assert_eq!(reader.position().unwrap().size, 20, "a reader sees the events of others");
    assert_eq!(reader.verify(&[]).unwrap().problem, None);
    let nowhere = LedgerOptions { folder: place.path().join("nowhere"), ..options };
    assert!(matches!(Ledger::open(&nowhere), Err(LedgerError::Unreadable(_))));
}
