//! Exports are verifiable, and manipulations are found.

use crate::samples::{fill, open};
use crate::{Durability, Ledger, LinesCheck, ProblemKind, PublicKey, Verification, Witness};

fn export(ledger: &Ledger, page: usize) -> Vec<String> {
    let (mut lines, mut after) = (Vec::new(), Some(0));
    while let Some(from) = after {
        let page = ledger.export(from, page).unwrap();
        lines.extend(page.lines);
        after = page.next;
    }
    lines
}

fn check(lines: &[String], key: Option<PublicKey>, witnesses: &[Witness]) -> Verification {
    let mut check = LinesCheck::new(key, witnesses);
    lines.iter().for_each(|line| check.line(line));
    check.end()
}

#[test]
fn an_export_is_checked_without_the_ledger() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    fill(&ledger, 20);
    ledger.checkpoint().unwrap();
    fill(&ledger, 10);
    let head = ledger.checkpoint().unwrap();
    let key = ledger.public_key().unwrap();
    assert_eq!(key.and_then(|key| PublicKey::parse(&key.text())), key);
    let lines = export(&ledger, 1000);
    assert_eq!(lines.len(), 63);
    for page in [1, 7, 40] {
        assert_eq!(export(&ledger, page), lines);
    }
    let found = check(&lines, key, &[]);
    assert_eq!((found.problem, found.events, found.head, found.note), (None, 60, head, None));
    let kind = |lines: &[String]| check(lines, key, &[]).problem.map(|problem| (problem.kind, problem.seq));

    let mut changed = lines.clone();
    changed[10] = changed[10].replace("t-1", "t-2");
    assert_eq!(kind(&changed), Some((ProblemKind::Changed, 11)));
    let mut removed = lines.clone();
    removed.remove(10);
    assert_eq!(kind(&removed), Some((ProblemKind::Missing, 11)));
    let mut swapped = lines.clone();
    swapped.swap(10, 12);
    assert_eq!(kind(&swapped), Some((ProblemKind::Order, 11)));
    let mut twice = lines.clone();
    twice.insert(10, lines[9].clone());
    assert_eq!(kind(&twice), Some((ProblemKind::Order, 11)));
    let mut cut = lines.clone();
    cut.remove(60);
    assert_eq!(kind(&cut), Some((ProblemKind::Truncated, 60)));
    let old = check(&lines[..62], key, &[]);
    assert!(old.ok() && old.note.is_some(), "as older versions wrote it");
    let behind_checkpoint = check(&lines[..41], key, &[]);
    assert!(behind_checkpoint.ok() && behind_checkpoint.note.is_some(), "it is like an export of an older version");
    let ended = |from: usize| [&lines[..from], &lines[62..]].concat();
    assert_eq!(kind(&ended(41)), Some((ProblemKind::Truncated, 41)));
    let more = [&lines[..], &lines[60..62]].concat();
    assert_eq!(kind(&more), Some((ProblemKind::Changed, 61)));
    let twice = [&lines[..], &lines[62..]].concat();
    assert_eq!(kind(&twice), Some((ProblemKind::Changed, 61)));
    for (at, seq) in [(10, 11), (40, 41), (62, 61)] {
        for edit in [|line: &str| format!("{line}\r"), |line: &str| format!(" {line}"), |_: &str| String::new()] {
            let mut spelt = lines.clone();
            spelt[at] = edit(&spelt[at]);
            assert_eq!(kind(&spelt), Some((ProblemKind::Changed, seq)), "{at}");
        }
    }
    assert_eq!(kind(&lines[..50]), Some((ProblemKind::Truncated, 50)), "no checkpoint covers its end");
    let seen = [Witness { size: head.size, head: head.hash, durability: Durability::Process }];
    let found = check(&lines[..50], key, &seen).problem.unwrap();
    assert_eq!((found.kind, found.seq), (ProblemKind::Truncated, 50));
    let mut no_line = lines.clone();
    no_line[10] = "{".to_owned();
    assert_eq!(kind(&no_line), Some((ProblemKind::Changed, 11)));

    let other = tempfile::tempdir().unwrap();
    let ledger = open(other.path());
    fill(&ledger, 1);
    ledger.checkpoint().unwrap();
    let found = check(&lines, ledger.public_key().unwrap(), &[]).problem.unwrap();
    assert_eq!((found.kind, found.seq), (ProblemKind::Signature, 40));
}

#[test]
fn chronicles_are_identical_in_all_processes() {
    use crate::samples::{call, raw};
    use crate::{EventType, NewEvent};
    let chronicle = || {
        let place = tempfile::tempdir().unwrap();
        let ledger = open(place.path());
        for at in [1_767_323_045_678, 1_767_323_045_679] {
            let more = raw(r#"{"persona":"TestGuardian","trigger":{"type":"filter","details":"secrets"}}"#);
            let kind = EventType::ValvePersonaTrigger;
            let id = ledger.call_id();
            let event = NewEvent { kind, at: Some(at), more: Some(&more), tool: None, ..call(&id, &[]) };
            ledger.record(&event).unwrap();
            ledger.record(&NewEvent { path: Some("other.ts"), ..event }).unwrap();
        }
        ledger.flush().unwrap();
        ledger.chronicle("tools/a.ts").unwrap()
    };
    let lines = chronicle();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines, chronicle());
    let first: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
    let second: serde_json::Value = serde_json::from_str(&lines[1]).unwrap();
    assert_eq!((&first["filePath"], &first["persona"]), (&"tools/a.ts".into(), &"TestGuardian".into()));
    assert_eq!(second["prevEventId"], first["eventId"]);
}
