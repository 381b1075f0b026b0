//! All manipulations of the files are found, with the first position.

use crate::checkpoint::signing_key::SigningKey;
use crate::folder::Folder;
use crate::samples::{call, fill, open, raw};
use crate::{BodyValue, Durability, Head, Ledger, LedgerError, LedgerOptions, ProblemKind, Witness, link};
use rusqlite::Connection;
use std::fs;
use std::path::Path;
use tempfile::TempDir;

/// A ledger of 60 events with checkpoints at 40 and, after closing, at 60.
fn ledger() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    fill(&ledger, 20);
    ledger.checkpoint().unwrap();
    fill(&ledger, 10);
    ledger.close().unwrap();
    place
}

fn sql(place: &Path, statements: &str) {
    let connection = Connection::open(place.join("ledger.db")).unwrap();
    connection.execute_batch(statements).unwrap();
}

fn found(place: &Path, witnesses: &[Witness]) -> Option<(ProblemKind, u64)> {
    let options = LedgerOptions { access: crate::Access::ReadOnly, ..LedgerOptions::new(place) };
    let problem = Ledger::open(&options).unwrap().verify(witnesses).unwrap().problem?;
    assert!(!problem.message.is_empty());
    Some((problem.kind, problem.seq))
}

#[test]
fn an_intact_ledger_has_no_problem() {
    assert_eq!(found(ledger().path(), &[]), None);
}

#[test]
fn a_change_in_any_column_is_found() {
    for change in [
        "content = replace(content, 'done', 'gone')",
        "content = content || ' '",
        "content = ''",
        "hash = randomblob(32)",
        "hash = x'00'",
        "type = 9",
        "type = 99",
        "at = at + 1",
        "at = -1",
        "session = path",
        "session = NULL",
        "session = 999",
        "path = NULL",
        "tool = NULL",
        "tool = path",
        "call = 'other-1'",
        "call = NULL",
        "parent = 'other-1'",
    ] {
        for seq in [1, 30, 60] {
            let place = ledger();
            let seq = if change.contains("replace") { seq + seq % 2 } else { seq };
            sql(place.path(), &format!("UPDATE events SET {change} WHERE seq = {seq}"));
            assert_eq!(found(place.path(), &[]), Some((ProblemKind::Changed, seq)), "{change}");
        }
    }
}

#[test]
fn a_changed_name_is_found() {
    let place = ledger();
    sql(place.path(), "UPDATE names SET text = 'tools/x.ts' WHERE text = 'tools/3.ts'");
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Changed, 7)));
}

#[test]
fn a_removed_event_is_found() {
    for seq in [1, 30, 59] {
        let place = ledger();
        sql(place.path(), &format!("DELETE FROM events WHERE seq = {seq}"));
        assert_eq!(found(place.path(), &[]), Some((ProblemKind::Missing, seq)));
    }
}

#[test]
fn a_removed_event_is_found_after_renumbering() {
    let place = ledger();
    sql(
        place.path(),
        "DELETE FROM events WHERE seq = 30; UPDATE events SET seq = -seq WHERE seq > 30; UPDATE events SET seq = -seq - 1 WHERE seq < 0",
    );
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Missing, 30)));
}

#[test]
fn swapped_events_are_found() {
    for (first, second) in [(30, 31), (1, 60), (10, 50)] {
        let place = ledger();
        sql(
            place.path(),
            &format!(
                "UPDATE events SET seq = -1 WHERE seq = {first}; UPDATE events SET seq = {first} WHERE seq = {second}; \
                 UPDATE events SET seq = {second} WHERE seq = -1"
            ),
        );
        assert_eq!(found(place.path(), &[]), Some((ProblemKind::Order, first)));
    }
}

#[test]
fn swapped_contents_with_unchanged_hashes_are_found() {
    let place = ledger();
    sql(
        place.path(),
        "CREATE TEMP TABLE kept AS SELECT * FROM events WHERE seq IN (20, 40); \
         UPDATE events SET content = (SELECT k.content FROM kept k WHERE k.seq = 60 - events.seq), \
         at = (SELECT k.at FROM kept k WHERE k.seq = 60 - events.seq) WHERE seq IN (20, 40)",
    );
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Order, 20)));
}

#[test]
fn an_inserted_event_is_found() {
    let place = ledger();
    sql(
        place.path(),
        "UPDATE events SET seq = -seq - 1 WHERE seq >= 30; UPDATE events SET seq = -seq WHERE seq < 0; \
         INSERT INTO events SELECT 30, type, at, session, path, tool, call, parent, hash, content FROM events WHERE seq = 20",
    );
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Order, 30)));
    for stray in [0, -5] {
        let place = ledger();
        sql(
            place.path(),
            &format!(
                "INSERT INTO events SELECT {stray}, type, at, session, path, tool, call, parent, hash, content \
                 FROM events WHERE seq = 20"
            ),
        );
        assert!(found(place.path(), &[]).is_some(), "{stray}");
    }
}

#[test]
fn a_truncated_end_is_found_by_the_checkpoints() {
    let place = ledger();
    sql(place.path(), "DELETE FROM events WHERE seq > 55");
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Truncated, 56)));
    assert_eq!(open(place.path()).boot_problem().map(|problem| problem.kind), Some(ProblemKind::Truncated));
    // The checkpoints of the table are removed too; those in the file remain.
    let place = ledger();
    sql(place.path(), "DELETE FROM events WHERE seq > 55; DELETE FROM checkpoints WHERE size > 55");
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Truncated, 56)));
    let again = open(place.path());
    assert_eq!(again.boot_problem().map(|problem| problem.kind), Some(ProblemKind::Truncated));
    assert_eq!(again.checkpoint(), Err(LedgerError::NotWhole(56)), "no checkpoint is signed for a damaged ledger");
    fill(&again, 1000);
    assert_eq!(again.position().unwrap().size, 2055, "it continues");
}

#[test]
fn a_truncated_end_is_found_by_a_witness() {
    let place = ledger();
    let head = { open(place.path()).position().unwrap() };
    let seen = [Witness { size: head.size, head: head.hash, durability: Durability::Process }];
    assert_eq!(found(place.path(), &seen), None);
    sql(place.path(), "DELETE FROM events WHERE seq > 55; DELETE FROM checkpoints WHERE size > 55");
    fs::remove_file(place.path().join("checkpoints")).unwrap();
    assert_eq!(found(place.path(), &[]), None, "there is no other evidence");
    assert_eq!(found(place.path(), &seen), Some((ProblemKind::Truncated, 56)));
    let other = [Witness { size: 50, head: head.hash, durability: Durability::Process }];
    assert_eq!(found(place.path(), &other), Some((ProblemKind::Changed, 50)));
}

#[test]
fn a_restored_older_copy_is_found() {
    let place = ledger();
    let old = fs::read(place.path().join("ledger.db")).unwrap();
    let later = open(place.path());
    fill(&later, 10);
    later.close().unwrap();
    drop(later);
    for side in ["ledger.db-wal", "ledger.db-shm"] {
        let _gone = fs::remove_file(place.path().join(side));
    }
    fs::write(place.path().join("ledger.db"), old).unwrap();
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Truncated, 61)));
    // It is still found when other events take the place of the missing ones.
    let again = open(place.path());
    fill(&again, 20);
    let problem = again.verify(&[]).unwrap().problem.unwrap();
    assert_eq!((problem.kind, problem.seq), (ProblemKind::Changed, 80));
}

#[test]
fn a_rewritten_chain_is_found_by_the_checkpoint() {
    let place = ledger();
    let connection = Connection::open(place.path().join("ledger.db")).unwrap();
    sql(place.path(), "UPDATE events SET content = replace(content, 'done', 'gone') WHERE seq = 30");
    let mut head = Head { size: 29, hash: hash_at(&connection, 29) };
    for seq in 30..=60 {
        let content: String =
            connection.query_row("SELECT content FROM events WHERE seq = ?1", [seq], |row| row.get(0)).unwrap();
        let size = seq as u64;
        head = Head { size, hash: link(&head.hash, size, &crate::Hash::of(content.as_bytes())) };
        connection.execute("UPDATE events SET hash = ?1 WHERE seq = ?2", (head.hash.0, seq)).unwrap();
    }
    drop(connection);
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Changed, 40)));
}

fn hash_at(connection: &Connection, seq: i64) -> crate::Hash {
    crate::Hash(connection.query_row("SELECT hash FROM events WHERE seq = ?1", [seq], |row| row.get(0)).unwrap())
}

#[test]
fn a_checkpoint_signed_with_another_key_is_found() {
    let (place, other) = (ledger(), tempfile::tempdir().unwrap());
    let key = SigningKey::make(&Folder::make(other.path()).unwrap()).unwrap();
    let connection = Connection::open(place.path().join("ledger.db")).unwrap();
    let head = Head { size: 50, hash: hash_at(&connection, 50) };
    let note = crate::checkpoint::checkpoint::Checkpoint::note(&head, &key);
    connection.execute("INSERT INTO checkpoints VALUES(50, ?1)", [note]).unwrap();
    drop(connection);
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Signature, 50)));
    let place = ledger();
    sql(place.path(), "UPDATE checkpoints SET note = replace(note, substr(note, -10, 3), 'abc') WHERE size = 40");
    assert_eq!(found(place.path(), &[]), Some((ProblemKind::Signature, 40)));
    let place = ledger();
    sql(place.path(), "UPDATE checkpoints SET size = 41 WHERE size = 40");
    assert_eq!(found(place.path(), &[]).map(|(kind, _)| kind), Some(ProblemKind::Signature));
}

#[test]
fn a_missing_or_wrong_key_is_never_replaced() {
    let place = ledger();
    let (key, other) = (place.path().join("ledger.key"), ledger());
    let own = fs::read(&key).unwrap();
    fs::remove_file(&key).unwrap();
    let error = |place: &Path| Ledger::open(&LedgerOptions::new(place)).err();
    assert_eq!(error(place.path()), Some(LedgerError::KeyMissing));
    fs::copy(other.path().join("ledger.key"), &key).unwrap();
    assert_eq!(error(place.path()), Some(LedgerError::KeyWrong));
    fs::write(&key, b"no key").unwrap();
    assert_eq!(error(place.path()), Some(LedgerError::KeyDamaged));
    fs::write(&key, own).unwrap();
    assert_eq!(error(place.path()), None);
}

#[test]
fn a_changed_or_missing_large_value_is_found() {
    for (change, kind) in [
        ("UPDATE blobs SET bytes = x'00'", ProblemKind::Changed),
        ("UPDATE blobs SET hash = randomblob(32)", ProblemKind::Changed),
        ("UPDATE blobs SET last = 1", ProblemKind::Changed),
        ("DELETE FROM blobs", ProblemKind::Missing),
    ] {
        let place = ledger();
        let ledger = open(place.path());
        let args = raw(&format!("\"{}\"", "x".repeat(5000)));
        ledger.record(&call("x-1", &[("args", BodyValue::Json(&args))])).unwrap();
        ledger.close().unwrap();
        drop(ledger);
        assert_eq!(found(place.path(), &[]), None);
        sql(place.path(), change);
        assert_eq!(found(place.path(), &[]).unwrap().1, 61, "{change}");
        assert_eq!(found(place.path(), &[]).unwrap().0, kind, "{change}");
    }
}

#[test]
fn an_index_that_hides_an_event_is_found() {
    for change in [
        "DROP INDEX events_session",
        "DROP INDEX events_call; CREATE INDEX events_call ON events(call) WHERE call IS NOT NULL AND call > 'a'",
        "CREATE TRIGGER t AFTER INSERT ON events BEGIN DELETE FROM events WHERE seq = new.seq; END",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET rootpage = (SELECT sum(rootpage) FROM sqlite_schema \
         WHERE name IN ('events_path', 'events_tool')) - rootpage WHERE name IN ('events_path', 'events_tool')",
        "PRAGMA writable_schema = 1; UPDATE sqlite_schema SET sql = replace(sql, 'path', 'tool') WHERE name = 'events_path'",
    ] {
        let place = ledger();
        sql(place.path(), change);
        assert_eq!(found(place.path(), &[]).map(|(kind, _)| kind), Some(ProblemKind::Changed), "{change}");
    }
}
