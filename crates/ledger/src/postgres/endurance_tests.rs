//! Tests with several processes, a killed server, and a large ledger.

use super::server_for_tests::Server;
use super::tests::open;
use crate::durability::Access;
use crate::event::event::{Importance, NewEvent, PreparedEvent};
use crate::event::event_type::EventType;
use crate::ledger::Ledger;
use crate::ledger_error::{LedgerError, Reason};
use crate::options::LedgerOptions;
use crate::query::Query;
use crate::samples;
use crate::store::{Appended, Batch, Store};
use crate::store_contract::{add, count_whole, prepared, some};
use crate::verify::{Evidence, verify};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::thread::{scope, sleep};
use std::time::{Duration, Instant};

const ADDRESS: &str = "TGP_TEST_LEDGER";
const EVENTS: u32 = 100_000;
const BATCHES: usize = 40;

#[test]
fn four_processes_write_one_chain() {
    let Some(server) = Server::shared() else { return };
    let address = server.address();
    let start = |_| {
        #[expect(clippy::disallowed_methods, reason = "this very program, as another process")]
        let mut command = Command::new(std::env::current_exe().unwrap());
        let test = "postgres::endurance_tests::appends_as_another_process";
        command.args(["--exact", test, "--ignored"]).env(ADDRESS, &address).stdout(Stdio::null());
        command.spawn().unwrap()
    };
    let children: Vec<_> = (0..4).map(start).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(count_whole(&open(&server, &address, Access::ReadOnly)), 4 * 5 * BATCHES as u64);
}

#[test]
#[ignore = "a process of the test above"]
fn appends_as_another_process() {
    #[expect(clippy::disallowed_methods, reason = "where the ledger is")]
    let Ok(address) = std::env::var(ADDRESS) else { return };
    let address = super::PostgresAddress::parse(&address).unwrap();
    let store = super::PostgresStore::new(address, Arc::new(|| None), Access::ReadWrite);
    let spool = format!("{}.1", std::process::id());
    for _ in 0..BATCHES {
        add(&store, &spool, &some(5));
    }
}

/// Appends batches of 5, with retries, until all are stored.
fn append_stubbornly(store: &dyn Store, spool: &str, batches: u64) -> u32 {
    let mut failures = 0;
    let mut from = 0;
    while from < batches {
        match store.append(&Batch { events: &some(5), spool, from, to: from + 1 }) {
            Ok(Appended::Done(_)) => from += 1,
            Ok(Appended::Elsewhere { drained }) => from = drained,
            Err(LedgerError::Unreachable(Reason::Connection)) => {
                failures += 1;
                sleep(Duration::from_millis(20));
            }
            Err(error) => panic!("{error}"),
        }
    }
    failures
}

#[test]
fn a_killed_server_loses_and_duplicates_nothing() {
    let Some(server) = Server::start() else { return };
    let address = server.address();
    let store = open(&server, &address, Access::ReadWrite);
    add(&store, "p.1", &some(1));
    scope(|scope| {
        let store = &store;
        let workers: Vec<_> =
            (0..3).map(|number| scope.spawn(move || append_stubbornly(store, &format!("w{number}.1"), 400))).collect();
        for _ in 0..4 {
            sleep(Duration::from_millis(150));
            server.kill();
            sleep(Duration::from_millis(100));
            server.restart();
        }
        for worker in workers {
            worker.join().unwrap();
        }
    });
    assert_eq!(count_whole(&store), 1 + 3 * 400 * 5);
}

#[test]
fn events_wait_for_an_unreachable_server() {
    let Some(server) = Server::start() else { return };
    let address = server.address();
    let folder = tempfile::tempdir().unwrap();
    let store = || Arc::new(open(&server, &address, Access::ReadWrite));
    server.kill();
    let ledger = Ledger::open_with(&LedgerOptions::new(folder.path()), store()).unwrap();
    let record = |number: u32| {
        let event = NewEvent { importance: Importance::Intent, ..samples::call("p-1", &[]) };
        ledger.record(&event).unwrap_or_else(|error| panic!("{number}: {error}"));
    };
    (0..100).for_each(record);
    assert_eq!(ledger.flush(), Err(LedgerError::Unreachable(Reason::Connection)));
    server.restart();
    (100..200).for_each(record);
    ledger.flush().unwrap();
    ledger.checkpoint().unwrap();
    let found = ledger.verify(&[]).unwrap();
    assert!(found.ok(), "{:?}", found.problem);
    assert!(found.events >= 200);
    assert_eq!(count_whole(store().as_ref()), found.events);
}

fn large(number: u64) -> PreparedEvent {
    let (call, session) = (format!("p-{}", number / 2), format!("s-{}", number / 100));
    let path = format!("tools/t{}.ts", number % 500);
    let kind = if number.is_multiple_of(2) { EventType::Call } else { EventType::Result };
    let text = "x".repeat(200);
    let body = [("args", crate::event::event::BodyValue::Text(&text))];
    let parent = format!("p-{}", number / 20);
    prepared(&NewEvent {
        at: Some(1_700_000_000_000 + number),
        session: Some(&session),
        path: Some(&path),
        parent: Some(&parent),
        ..samples::event(kind, &call, &body)
    })
}

#[test]
#[ignore = "takes long; for figures, in a release build"]
#[expect(clippy::print_stderr, reason = "the figures")]
fn speed_of_100_000_events() {
    let Some(server) = Server::shared() else { return };
    let address = server.address();
    let store = open(&server, &address, Access::ReadWrite);
    let events: Vec<_> = (0..EVENTS.into()).map(large).collect();
    let begin = Instant::now();
    for batch in events.chunks(256) {
        add(&store, "p.1", batch);
    }
    eprintln!("append: {:?} per event", begin.elapsed() / EVENTS);
    let begin = Instant::now();
    let found = verify(&store, &Evidence { key: None, notes: &[], witnesses: &[] }).unwrap();
    assert_eq!((found.events, found.problem), (EVENTS.into(), None));
    eprintln!("verify: {:?}", begin.elapsed());
    let text = |text: &str| Some(text.to_owned());
    for (name, query) in [
        ("tail", Query { limit: 100, ..Query::default() }),
        ("session", Query { limit: 100, session: text("s-77"), ..Query::default() }),
        ("path", Query { limit: 100, path: text("tools/t7.ts"), ..Query::default() }),
        ("time", Query { limit: 100, until: Some(1_700_000_050_000), ..Query::default() }),
        ("call", Query { limit: 100, call: text("p-7000"), ..Query::default() }),
    ] {
        let begin = Instant::now();
        let found = (0..20).map(|_| store.events(&query).unwrap().len()).max();
        eprintln!("{name}: {:?}, {found:?} events", begin.elapsed() / 20);
    }
    let begin = Instant::now();
    let found = store.tree("p-7000", 10_000).unwrap().len();
    eprintln!("tree: {:?}, {found} events", begin.elapsed());
}
