//! The contract tests that every store must pass.

use super::chain::chain::link;
use super::durability::{Access, Durability};
use super::event::content::columns_of;
use super::event::event::{Blob, BodyValue, Head, NewEvent, PreparedEvent, StoredEvent};
use super::event::event_type::EventType;
use super::hash::Hash;
use super::ledger_error::LedgerError;
use super::query::Query;
use super::samples;
use super::spool::prepare::Preparation;
use super::spool::spool_line::{read_line, write_line};
use super::sqlite::sqlite_store::SqliteStore;
use super::store::{Appended, Batch, CheckpointRow, ScannedEvent, Store};
use std::ops::ControlFlow;
use std::thread::scope;

/// Opens a new ledger, or the same one again with another access.
pub type Open<'a> = dyn Fn(Access) -> Box<dyn Store> + Sync + 'a;

type Check = fn(&Open<'_>);

/// All checks; each needs its own ledger.
pub const CHECKS: [(&str, Check); 11] = [
    ("a new ledger is empty", empty),
    ("events are chained and spools have positions", chained),
    ("every character round-trips", characters),
    ("blobs are kept once", blobs),
    ("queries find the matching events", queries),
    ("a tree has all descendants and cycles end", tree),
    ("checkpoints are kept once and in order", checkpoints),
    ("old events are dropped", dropped),
    ("a scan stops on request", scan),
    ("many append at once", many),
    ("readers do not write", read_only),
];

#[test]
fn sqlite_passes_the_store_contract() {
    for (name, check) in CHECKS {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ledger.db");
        let open = |access| -> Box<dyn Store> {
            Box::new(
                SqliteStore::open(&path, access, Durability::Process).unwrap_or_else(|error| panic!("{name}: {error}")),
            )
        };
        check(&open);
    }
}

/// An event as the writer would hand it to a store.
pub fn prepared(event: &NewEvent<'_>) -> PreparedEvent {
    let mut line = Vec::new();
    write_line(event, &mut line);
    let line = read_line(line.strip_suffix(b"\n").unwrap()).unwrap();
    Preparation { redact: None, blob_bytes: 1 << 18 }.prepare(&line)
}

/// The given number of events of one spool.
pub fn some(count: u64) -> Vec<PreparedEvent> {
    let event = |number: u64| {
        let call = format!("p-{number}");
        prepared(&NewEvent { at: Some(1000 + number), ..samples::call(&call, &[]) })
    };
    (0..count).map(event).collect()
}

/// Appends events of a new spool.
pub fn add(store: &dyn Store, spool: &str, events: &[PreparedEvent]) -> Head {
    let from = store.drained(spool).unwrap();
    match store.append(&Batch { events, spool, from, to: from + 10 }).unwrap() {
        Appended::Done(head) => head,
        Appended::Elsewhere { drained } => panic!("drained up to {drained}"),
    }
}

/// The number of events, after checking every link and column.
pub fn count_whole(store: &dyn Store) -> u64 {
    let base = store.base().unwrap();
    let (mut size, mut hash) = (base.size, base.hash);
    let visit = &mut |event: &ScannedEvent<'_>| {
        size += 1;
        hash = link(&hash, size, &Hash::of(event.content.as_bytes()));
        assert_eq!((event.seq, event.hash), (size, Some(hash)));
        let columns = columns_of(event.content).unwrap();
        assert!(event.columns.as_ref().is_some_and(|found| columns.equal(found)), "{:?}", event.columns);
        ControlFlow::Continue(())
    };
    store.scan(0..=u64::MAX, visit).unwrap();
    assert_eq!(store.head().unwrap(), Head { size, hash });
    size - base.size
}

fn all(limit: usize) -> Query {
    Query { limit, ..Query::default() }
}

fn seqs(events: &[StoredEvent]) -> Vec<u64> {
    events.iter().map(|event| event.seq).collect()
}

fn empty(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    assert_eq!(store.head().unwrap(), Head::NONE);
    assert_eq!(store.base().unwrap(), Head::NONE);
    assert_eq!((store.first().unwrap(), store.hash_at(1).unwrap(), store.first_since(0).unwrap()), (None, None, None));
    assert_eq!((store.drained("p.1").unwrap(), store.has_spool_of("p").unwrap()), (0, false));
    assert!(store.events(&all(10)).unwrap().is_empty() && store.tree("p-1", 10).unwrap().is_empty());
    assert!(store.checkpoints(0, 10).unwrap().is_empty() && store.last_checkpoint(u64::MAX).unwrap().is_none());
    assert_eq!(store.blob(&Hash::ZERO).unwrap(), None);
    assert_eq!(store.check_structure().unwrap(), None);
    assert_eq!(count_whole(store.as_ref()), 0);
}

fn chained(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let events = some(3);
    let head = add(store.as_ref(), "p.1", &events[..2]);
    let first = link(&Hash::ZERO, 1, &events[0].id);
    assert_eq!(head, Head { size: 2, hash: link(&first, 2, &events[1].id) });
    let stale = Batch { events: &events[2..], spool: "p.1", from: 0, to: 20 };
    assert_eq!(store.append(&stale).unwrap(), Appended::Elsewhere { drained: 10 });
    assert_eq!(store.head().unwrap(), head);

    let other = open(Access::ReadWrite);
    add(other.as_ref(), "q.1", &events[2..]);
    assert_eq!((store.hash_at(1).unwrap(), store.first().unwrap()), (Some(first), Some(1)));
    assert_eq!(store.first_since(1001).unwrap(), Some(2));
    let found = store.events(&all(10)).unwrap();
    assert_eq!(seqs(&found), [1, 2, 3]);
    assert_eq!((found[0].prev, found[1].prev, found[2].prev), (Hash::ZERO, first, head.hash));
    // Lines without an event only advance the position.
    assert_eq!(add(store.as_ref(), "p.1", &[]), store.head().unwrap());
    assert_eq!((store.drained("p.1").unwrap(), store.drained("q.1").unwrap()), (20, 10));
    assert!(store.has_spool_of("p").unwrap() && !store.has_spool_of("").unwrap() && !store.has_spool_of("p.").unwrap());
    store.forget_spool("p.1").unwrap();
    assert_eq!((store.drained("p.1").unwrap(), store.has_spool_of("p").unwrap()), (0, false));
    assert_eq!(count_whole(store.as_ref()), 3);
}

fn characters(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let (long, longer) = ("ü".repeat(19_999), "ü".repeat(20_000));
    let odd = ["a\0b", "\u{1}0", "\u{1}1\0", "\u{2028}\u{10ffff}\\u0000", "'\"\\%_;--", &long, &longer, " ", ""];
    let events: Vec<_> = odd
        .iter()
        .map(|text| {
            let body = [("text", BodyValue::Text(text))];
            prepared(&NewEvent {
                session: Some(text),
                tool: Some(text),
                path: Some(text),
                ..samples::call(text, &body)
            })
        })
        .collect();
    add(store.as_ref(), "p.1", &events);
    assert_eq!(count_whole(store.as_ref()), 9);
    for (text, event) in odd.iter().zip(&events) {
        assert_eq!(store.tree(text, 10).unwrap().len(), 1);
        let text = Some((*text).to_owned());
        for query in [
            Query { session: text.clone(), ..all(10) },
            Query { path: text.clone(), ..all(10) },
            Query { tool: text.clone(), call: text.clone(), ..all(10) },
        ] {
            let found = store.events(&query).unwrap();
            assert_eq!(found.iter().map(|found| &found.content).collect::<Vec<_>>(), [&event.content]);
        }
    }
}

fn blobs(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let blob = |text: &str| Blob { hash: Hash::of(text.as_bytes()), bytes: text.into() };
    let (large, other) = ("\0".repeat(300_000), "x".repeat(5000));
    let mut events = some(4);
    events[0].blobs = vec![blob(&large), blob(&other)];
    events[1].blobs = vec![blob(&large), blob(&large)];
    events[3].blobs = vec![blob(&other)];
    add(store.as_ref(), "p.1", &events[..3]);
    add(store.as_ref(), "p.1", &events[3..]);
    let mut seen = Vec::new();
    let visit = &mut |hash: &Hash, bytes: &[u8], last: u64| {
        assert_eq!(Hash::of(bytes), *hash);
        seen.push((bytes.len(), last));
        ControlFlow::Continue(())
    };
    store.scan_blobs(visit).unwrap();
    seen.sort_unstable();
    assert_eq!(seen, [(5000, 4), (300_000, 2)]);
    assert_eq!(store.blob(&Hash::of(other.as_bytes())).unwrap(), Some(other.into_bytes()));
    let mut seen = 0;
    let stop = &mut |_: &Hash, _: &[u8], _| {
        seen += 1;
        ControlFlow::Break(())
    };
    store.scan_blobs(stop).unwrap();
    assert_eq!(seen, 1);
}

fn queries(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let event = |number: u64| {
        let is_even = number.is_multiple_of(2);
        let kind = if is_even { EventType::Call } else { EventType::Result };
        let call = format!("p-{}", number / 2);
        prepared(&NewEvent {
            at: Some(1000 + number * 10),
            session: is_even.then_some("even"),
            path: (number < 5).then_some("early"),
            tool: (number == 7).then_some("seven"),
            ..samples::event(kind, &call, &[])
        })
    };
    // Numbers begin with 1: event 0 has the number 1.
    add(store.as_ref(), "p.1", &(0..10).map(event).collect::<Vec<_>>());
    let text = |text: &str| Some(text.to_owned());
    for (query, expected) in [
        (all(3), vec![8, 9, 10]),
        (all(0), vec![]),
        (Query { session: text("even"), ..all(2) }, vec![7, 9]),
        (Query { session: text("even"), path: text("early"), ..all(10) }, vec![1, 3, 5]),
        (Query { tool: text("seven"), ..all(10) }, vec![8]),
        (Query { tool: text("eight"), ..all(10) }, vec![]),
        (Query { kind: Some(EventType::Result), ..all(2) }, vec![8, 10]),
        (Query { call: text("p-2"), ..all(10) }, vec![5, 6]),
        (Query { since: Some(1020), until: Some(1050), ..all(10) }, vec![3, 4, 5]),
        (Query { since: Some(1020), ..all(2) }, vec![9, 10]),
        (Query { until: Some(1050), kind: Some(EventType::Call), ..all(1) }, vec![5]),
        (Query { after_seq: Some(4), ..all(2) }, vec![5, 6]),
        (Query { after_seq: Some(4), session: text("even"), ..all(2) }, vec![5, 7]),
        (Query { after_seq: Some(u64::MAX), ..all(2) }, vec![]),
    ] {
        assert_eq!(seqs(&store.events(&query).unwrap()), expected, "{query:?}");
    }
}

fn tree(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let links = [("a", "c"), ("b", "a"), ("c", "b"), ("d", "b"), ("e", "x"), ("b", "a"), ("f", "f")];
    let event = |(call, parent)| prepared(&NewEvent { parent: Some(parent), ..samples::call(call, &[]) });
    add(store.as_ref(), "p.1", &links.map(event));
    let found = |call, limit| seqs(&store.tree(call, limit).unwrap());
    assert_eq!(found("a", 10), [1, 2, 3, 4, 6]);
    assert_eq!(found("f", 10), [7]);
    assert_eq!(found("d", 10), [4]);
    assert_eq!(found("x", 10), [5]);
    assert_eq!(found("a", 2).len(), 2);
}

fn checkpoints(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let row = |size: u64, note: &str| CheckpointRow { size, note: note.to_owned() };
    for kept in [row(5, "b"), row(2, "— a\n"), row(5, "a"), row(5, "b")] {
        store.keep_checkpoint(&kept).unwrap();
    }
    assert_eq!(store.checkpoints(0, 10).unwrap(), [row(2, "— a\n"), row(5, "a"), row(5, "b")]);
    assert_eq!(store.checkpoints(3, 1).unwrap(), [row(5, "a")]);
    assert_eq!(store.last_checkpoint(u64::MAX).unwrap(), Some(row(5, "a")));
    assert_eq!(store.last_checkpoint(4).unwrap(), Some(row(2, "— a\n")));
    assert_eq!(store.last_checkpoint(1).unwrap(), None);
}

fn dropped(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    let mut events = some(10);
    for (index, text) in [(0, "old"), (8, "new")] {
        events[index].blobs = vec![Blob { hash: Hash::of(text.as_bytes()), bytes: text.into() }];
    }
    let head = add(store.as_ref(), "p.1", &events);
    for size in [3, 6, 7] {
        store.keep_checkpoint(&CheckpointRow { size, note: "n".to_owned() }).unwrap();
    }
    let base = Head { size: 6, hash: store.hash_at(6).unwrap().unwrap() };
    assert_eq!(store.drop_to(&base).unwrap(), 6);
    assert_eq!((store.base().unwrap(), store.head().unwrap(), store.first().unwrap()), (base, head, Some(7)));
    assert_eq!(store.events(&all(10)).unwrap()[0].prev, base.hash);
    assert_eq!(store.checkpoints(0, 10).unwrap().len(), 2);
    assert_eq!(store.blob(&Hash::of(b"old")).unwrap(), None);
    assert!(store.blob(&Hash::of(b"new")).unwrap().is_some());
    assert_eq!(count_whole(store.as_ref()), 4);
    assert_eq!(store.drop_to(&head).unwrap(), 4);
    assert_eq!((store.head().unwrap(), store.first().unwrap()), (head, None));
    assert_eq!(store.drop_to(&base).unwrap(), 0, "another process came further");
    assert_eq!(store.base().unwrap(), head);
    assert_eq!(add(store.as_ref(), "p.1", &some(1)).size, 11);
    assert_eq!(count_whole(store.as_ref()), 1);
}

fn scan(open: &Open<'_>) {
    let store = open(Access::ReadWrite);
    add(store.as_ref(), "p.1", &some(10_000));
    let mut seen = Vec::new();
    let visit = &mut |event: &ScannedEvent<'_>| {
        seen.push(event.seq);
        if event.seq == 5000 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    store.scan(10..=9000, visit).unwrap();
    assert_eq!(seen, (10..=5000).collect::<Vec<_>>());
    assert_eq!(count_whole(store.as_ref()), 10_000);
}

fn many(open: &Open<'_>) {
    let stores = [open(Access::ReadWrite), open(Access::ReadWrite)];
    scope(|scope| {
        for number in 0..4 {
            let store = &stores[number % 2];
            scope.spawn(move || {
                for _ in 0..20 {
                    add(store.as_ref(), &format!("p{number}.1"), &some(5));
                }
            });
        }
    });
    assert_eq!(count_whole(stores[0].as_ref()), 400);
}

fn read_only(open: &Open<'_>) {
    add(open(Access::ReadWrite).as_ref(), "p.1", &some(2));
    let store = open(Access::ReadOnly);
    assert_eq!(count_whole(store.as_ref()), 2);
    let batch = Batch { events: &some(1), spool: "p.1", from: 10, to: 20 };
    assert_eq!(store.append(&batch), Err(LedgerError::ReadOnly));
    assert_eq!(store.forget_spool("p.1"), Err(LedgerError::ReadOnly));
    assert_eq!(store.drop_to(&Head::NONE), Err(LedgerError::ReadOnly));
    let row = CheckpointRow { size: 1, note: String::new() };
    assert_eq!(store.keep_checkpoint(&row), Err(LedgerError::ReadOnly));
}
