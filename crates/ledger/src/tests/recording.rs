//! Recorded events are in the ledger once and in order, also after crashes.

use crate::event::event::{BodyValue, NewEvent};
use crate::folder::Folder;
use crate::ledger::{CallState, HasResult};
use crate::samples::{call, fill, open, raw};
use crate::spool::spool_file::SpoolFile;
use crate::spool::spool_line::write_line;
use crate::{EventType, Ledger, LedgerError, LedgerOptions, Query};
use std::fs;

fn all(limit: usize) -> Query {
    Query { limit, ..Query::default() }
}

#[test]
fn events_are_chained_in_the_order_of_their_recording() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    fill(&ledger, 500);
    let events = ledger.tail(&all(10_000)).unwrap();
    assert_eq!(events.len(), 1000);
    assert!(events.iter().zip(1..).all(|(event, seq)| event.seq == seq));
    assert_eq!(events[0].prev.hex(), "0".repeat(64));
    assert!(events.windows(2).all(|pair| pair[1].prev == pair[0].hash));
    assert_eq!(ledger.position().unwrap().hash, events[999].hash);
    assert_eq!(ledger.last_position().size, 1000);
    let found = ledger.verify(&[]).unwrap();
    assert_eq!((found.problem, found.events), (None, 1000));
    let shown: serde_json::Value = serde_json::from_str(&events[1].json()).unwrap();
    assert_eq!((shown["seq"].as_u64(), shown["type"].as_str()), (Some(2), Some("RESULT")));
    assert_eq!(shown["id"], events[1].id().hex());
}

#[test]
fn a_reopened_ledger_continues() {
    let folder = tempfile::tempdir().unwrap();
    for round in 1..=3 {
        let ledger = open(folder.path());
        assert_eq!(ledger.boot_problem(), None);
        fill(&ledger, 10);
        ledger.close().unwrap();
        assert_eq!(ledger.record(&call("x", &[])), Err(LedgerError::Closed));
        assert_eq!(ledger.tail(&all(1)).unwrap()[0].seq, round * 20);
        assert_eq!(fs::read_dir(folder.path().join("spool")).unwrap().count(), 0);
    }
    assert_eq!(open(folder.path()).verify(&[]).unwrap().problem, None);
}

#[cfg(unix)]
#[test]
fn only_the_owner_may_read_it() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("ledger");
    let ledger = open(&place);
    fill(&ledger, 1);
    ledger.checkpoint().unwrap();
    let mode = |path: &std::path::Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&place), 0o700);
    for entry in fs::read_dir(&place).unwrap().map(|entry| entry.unwrap().path()) {
        assert_eq!(mode(&entry), if entry.is_dir() { 0o700 } else { 0o600 }, "{}", entry.display());
    }
}

/// A spool of a killed process.
fn orphan(folder: &Folder, name: &str, calls: &[&str], tail: &[u8]) {
    let mut file = SpoolFile::create(folder, name.to_owned()).unwrap().unwrap();
    let mut line = Vec::new();
    for id in calls {
        write_line(&call(id, &[]), &mut line);
        file.append(&line).unwrap();
    }
    file.append(tail).unwrap();
}

#[test]
fn an_abandoned_spool_is_drained_once_without_its_torn_line() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::make(place.path()).unwrap();
    orphan(&folder, "0123456789ab.0", &["0123456789ab-1", "0123456789ab-2"], b"0000000000000000 {\"type\":\"CA");
    let (one, other) = (open(place.path()), open(place.path()));
    one.flush().unwrap();
    other.flush().unwrap();
    one.flush().unwrap();
    let calls: Vec<_> = one.tail(&all(10)).unwrap().iter().map(|event| event.content.clone()).collect();
    assert_eq!(calls.len(), 2, "{calls:?}");
    assert!(!folder.spool("0123456789ab.0").exists());
    assert_eq!(one.call_state("0123456789ab-2", HasResult::No).unwrap(), CallState::Unknown);
    assert_eq!(one.call_state("0123456789ab-1", HasResult::Yes).unwrap(), CallState::Done);
}

#[test]
fn a_request_drains_the_spool_of_a_killed_process_soon() {
    let place = tempfile::tempdir().unwrap();
    let folder = Folder::make(place.path()).unwrap();
    let ledger = open(place.path());
    ledger.flush().unwrap();
    orphan(&folder, "0123456789ab.0", &["0123456789ab-1"], b"");
    std::thread::sleep(std::time::Duration::from_millis(150));
    ledger.flush().unwrap();
    assert_eq!(ledger.tail(&all(10)).unwrap().len(), 1);
}

#[test]
fn a_call_without_result_is_running_while_its_process_is_alive() {
    let place = tempfile::tempdir().unwrap();
    let (one, other) = (open(place.path()), open(place.path()));
    let id = one.call_id();
    one.record(&call(&id, &[])).unwrap();
    assert_eq!(one.call_state(&id, HasResult::No).unwrap(), CallState::Running);
    assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Running);
    drop(one);
    assert_eq!(other.call_state(&id, HasResult::No).unwrap(), CallState::Unknown);
}

#[test]
fn events_drained_before_a_crash_are_not_drained_again() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    fill(&ledger, 3);
    // The spool still exists with six events that are all in the store, as after a crash here.
    let spool = fs::read_dir(place.path().join("spool")).unwrap().next().unwrap().unwrap();
    let name = spool.file_name().into_string().unwrap();
    let copy = fs::read(spool.path()).unwrap();
    drop(ledger);
    let store =
        crate::SqliteStore::open(&place.path().join("ledger.db"), crate::Access::ReadWrite, crate::Durability::Process)
            .unwrap();
    use crate::{Batch, Store};
    let stem = name.strip_suffix(".ndjson").unwrap();
    store.append(&Batch { events: &[], spool: stem, from: 0, to: copy.len() as u64 }).unwrap();
    fs::write(place.path().join("spool").join(&name), copy).unwrap();
    let again = open(place.path());
    again.flush().unwrap();
    assert_eq!(again.position().unwrap().size, 6);
    assert!(!spool.path().exists());
}

#[test]
fn several_ledgers_share_one_file() {
    let place = tempfile::tempdir().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| fill(&open(place.path()), 300));
        }
    });
    let ledger = open(place.path());
    assert_eq!(ledger.position().unwrap().size, 2400);
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
}

#[test]
fn concurrent_creators_of_a_ledger_lose_no_event() {
    for _ in 0..10 {
        let place = tempfile::tempdir().unwrap();
        let together = std::sync::Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    together.wait();
                    fill(&open(place.path()), 1);
                });
            }
        });
        assert_eq!(open(place.path()).verify(&[]).unwrap().events, 16);
    }
}

#[test]
fn a_spool_grows_to_its_limit_and_then_refuses() {
    let place = tempfile::tempdir().unwrap();
    let options = LedgerOptions { spool_bytes: 2000, ..LedgerOptions::new(place.path()) };
    let ledger = Ledger::open(&options).unwrap();
    // Another process locks the store, so nothing is drained.
    let lock = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    let intent = NewEvent { importance: crate::Importance::Intent, ..call("x-1", &[]) };
    let taken = (0..100).take_while(|_| ledger.record(&intent).is_ok()).count();
    assert!((5..20).contains(&taken), "{taken}");
    assert_eq!(ledger.record(&intent), Err(LedgerError::SpoolFull));
    assert_eq!(ledger.record(&call("x-2", &[])), Ok(()), "kept in memory");
    lock.execute_batch("ROLLBACK").unwrap();
    ledger.flush().unwrap();
    ledger.flush().unwrap();
    assert_eq!(ledger.position().unwrap().size as usize, taken + 1);
    let last = ledger.tail(&all(1)).unwrap();
    assert!(last[0].content.contains("x-2"));
}

/// A ledger whose store is locked until the transaction is rolled back.
fn held(place: &std::path::Path, spool_bytes: u64) -> (Ledger, rusqlite::Connection) {
    let ledger = Ledger::open(&LedgerOptions { spool_bytes, ..LedgerOptions::new(place) }).unwrap();
    let lock = rusqlite::Connection::open(place.join("ledger.db")).unwrap();
    lock.execute_batch("BEGIN IMMEDIATE").unwrap();
    (ledger, lock)
}

#[test]
fn results_that_do_not_fit_are_recorded_without_their_values() {
    let place = tempfile::tempdir().unwrap();
    let (ledger, lock) = held(place.path(), 8 << 20);
    let result = "r".repeat(200 << 10);
    let body = [("ok", BodyValue::Integer(1)), ("result", BodyValue::Text(&result))];
    for number in 0..200 {
        let name = format!("x-{number}");
        ledger.record(&NewEvent { kind: EventType::Result, ..call(&name, &body) }).unwrap();
    }
    let huge = "z".repeat(33 << 20);
    ledger.record(&call("x-200", &[("note", BodyValue::Text(&huge))])).unwrap();
    lock.execute_batch("ROLLBACK").unwrap();
    ledger.flush().unwrap();
    let events = ledger.tail(&all(1000)).unwrap();
    assert_eq!(events.len(), 201);
    let short = events.iter().filter(|event| event.content.contains("[left out: 204800 bytes")).count();
    assert!((100..200).contains(&short), "{short}");
    assert!(events[200].content.contains("[left out: 34603008 bytes"));
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
}

#[test]
fn large_results_do_not_use_the_space_of_intents() {
    let place = tempfile::tempdir().unwrap();
    let (ledger, lock) = held(place.path(), 8 << 20);
    let result = "r".repeat(200 << 10);
    for number in 0..200 {
        let (name, body) = (format!("x-{number}"), [("result", BodyValue::Text(&result))]);
        ledger.record(&NewEvent { kind: EventType::Result, ..call(&name, &body) }).unwrap();
        assert!(ledger.has_room(), "{number}");
    }
    let args = [("args", BodyValue::Text(&result))];
    let intent = NewEvent { importance: crate::Importance::Intent, ..call("y-1", &args) };
    assert_eq!(ledger.record(&intent), Ok(()));
    lock.execute_batch("ROLLBACK").unwrap();
    ledger.flush().unwrap();
    let events = ledger.tail(&all(1000)).unwrap();
    assert_eq!(events.len(), 201);
    assert!(!events[200].content.contains("left out"));
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
}

#[test]
fn dropped_events_are_counted_by_an_event() {
    let place = tempfile::tempdir().unwrap();
    let (ledger, lock) = held(place.path(), 64 << 10);
    let path = "p".repeat(100 << 10);
    let recorded = (0..300).filter(|_| ledger.record(&NewEvent { path: Some(&path), ..call("x-1", &[]) }).is_ok());
    let recorded = recorded.count();
    assert!(recorded < 300);
    lock.execute_batch("ROLLBACK").unwrap();
    ledger.flush().unwrap();
    let events = ledger.tail(&all(1000)).unwrap();
    let lost: Vec<_> = events.iter().filter(|event| event.content.contains(r#""state":"lost""#)).collect();
    assert_eq!(lost.len(), 1);
    assert!(lost[0].content.contains(&format!(r#""events":{}"#, 300 - recorded)), "{}", lost[0].content);
    assert_eq!(events.len(), recorded + 1);
}

#[test]
fn large_values_are_stored_by_their_hash() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    let args = raw(&format!(r#"{{"path":"a","content":"{}"}}"#, "x".repeat(10_000)));
    let body = [("args", BodyValue::Json(&args))];
    ledger.record(&call("x-1", &body)).unwrap();
    ledger.record(&NewEvent { kind: EventType::Halt, ..call("x-1", &body) }).unwrap();
    ledger.flush().unwrap();
    let event = &ledger.tail(&all(1)).unwrap()[0];
    let content: serde_json::Value = serde_json::from_str(&event.content).unwrap();
    let hash = crate::Hash::parse(content["args"]["content"]["$blob"].as_str().unwrap()).unwrap();
    assert_eq!(ledger.blob(&hash).unwrap().unwrap(), "x".repeat(10_000).as_bytes());
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
}

#[test]
fn a_large_event_and_many_small_ones_rotate_the_spool() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    let text = "y".repeat(2 << 20);
    for _ in 0..5 {
        ledger.record(&call("x-1", &[("note", BodyValue::Text(&text))])).unwrap();
        ledger.flush().unwrap();
    }
    assert_eq!(ledger.position().unwrap().size, 5);
    let spools = fs::read_dir(place.path().join("spool")).unwrap();
    let bytes: u64 = spools.map(|entry| entry.unwrap().metadata().unwrap().len()).sum();
    assert!(bytes < 5 << 20, "{bytes}");
    let huge = "z".repeat(33 << 20);
    let body = [("note", BodyValue::Text(&huge))];
    let intent = NewEvent { importance: crate::Importance::Intent, ..call("x", &body) };
    assert_eq!(ledger.record(&intent), Err(LedgerError::TooLarge(32 << 20)));
}

#[test]
fn an_idle_ledger_releases_its_resources_and_wakes_on_use() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    fill(&ledger, 1);
    let held = || {
        let spools = fs::read_dir(folder.path().join("spool")).unwrap().count();
        let wal = fs::metadata(folder.path().join("ledger.db-wal")).is_ok();
        spools > 0 || wal
    };
    for round in 1..=2 {
        let waited = std::time::Instant::now();
        while held() && waited.elapsed() < std::time::Duration::from_secs(30) {
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(!held(), "it rests");
        fill(&ledger, 10);
        assert_eq!(ledger.position().unwrap().size, 2 + round * 20);
    }
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
    ledger.close().unwrap();
}

#[test]
fn a_closed_ledger_has_closed_its_database_before_it_is_dropped() {
    let folder = tempfile::tempdir().unwrap();
    let ledger = open(folder.path());
    fill(&ledger, 3);
    assert!(folder.path().join("ledger.db-wal").exists());
    ledger.close().unwrap();
    assert!(!folder.path().join("ledger.db-wal").exists());
    assert_eq!(ledger.verify(&[]).unwrap().problem, None, "it can still be read");
}

#[test]
fn machines_that_share_a_store_share_a_key() {
    use crate::{Access, Durability, SqliteStore};
    use base64::Engine;
    let (one, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let ledger = open(one.path());
    fill(&ledger, 3);
    ledger.close().unwrap();
    let store = || {
        let path = one.path().join("ledger.db");
        std::sync::Arc::new(SqliteStore::open(&path, Access::ReadWrite, Durability::Process).unwrap())
    };
    let options = LedgerOptions::new(other.path());
    assert_eq!(Ledger::open_with(&options, store()).err(), Some(LedgerError::KeyMissing));
    let key = fs::read(one.path().join("ledger.key")).unwrap();
    let key = Some(base64::engine::general_purpose::STANDARD.encode(key));
    let second = Ledger::open_with(&LedgerOptions { key, ..options.clone() }, store()).unwrap();
    fill(&second, 3);
    second.close().unwrap();
    assert_eq!(second.verify(&[]).unwrap().problem, None);
    let strange = LedgerOptions { key: Some("nonsense".to_owned()), ..options };
    assert_eq!(Ledger::open_with(&strange, store()).err(), Some(LedgerError::KeyUnfit));
}

#[cfg(unix)]
#[test]
fn removed_files_lose_no_event() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path().join("ledger");
    let ledger = open(&folder);
    fill(&ledger, 2);
    for taken in [folder.join("spool"), folder.clone()] {
        fs::remove_dir_all(&taken).unwrap();
        fill(&ledger, 2);
        assert!(fs::read_dir(folder.join("spool")).unwrap().count() > 0, "recording continues in a new file");
    }
    ledger.flush().unwrap();
    let last = ledger.tail(&all(4)).unwrap();
    assert_eq!(last.len(), 4, "later events exist");
    assert_eq!(ledger.verify(&[]).unwrap().events, ledger.position().unwrap().size);
}

#[test]
fn delayed_events_are_written_in_order_and_soon() {
    use crate::Importance;
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    ledger.flush().unwrap();
    let written = || {
        let spools = fs::read_dir(place.path().join("spool")).unwrap();
        spools.map(|file| fs::read_to_string(file.unwrap().path()).unwrap()).collect::<String>()
    };
    let later = NewEvent { importance: Importance::Later, ..call("x-1", &[]) };
    ledger.record(&later).unwrap();
    let intent = NewEvent { importance: Importance::Intent, ..call("x-2", &[]) };
    ledger.record(&intent).unwrap();
    let text = written();
    assert!(text.find("x-1").unwrap() < text.find("x-2").unwrap(), "{text}");
    ledger.record(&NewEvent { importance: Importance::Later, ..call("x-3", &[]) }).unwrap();
    let waited = std::time::Instant::now();
    while ledger.last_position().size < 3 && waited.elapsed() < std::time::Duration::from_secs(30) {
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert_eq!(ledger.last_position().size, 3, "the writer wakes by itself");
}
