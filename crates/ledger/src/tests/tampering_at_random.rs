//! Random edits of the files: each is found, or has no effect on the ledger's contents.

use crate::samples::{call, fill, open, raw};
use crate::{Access, BodyValue, Ledger, LedgerOptions, Query};
use std::fs;
use std::path::Path;

/// A small deterministic random generator.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % most as u64).unwrap()
    }
}

/// The complete contents of a ledger: its events, its large values, and the results of all kinds of queries.
fn contents_of(ledger: &Ledger) -> Option<Vec<String>> {
    let mut contents = Vec::new();
    let all = Query { limit: 10_000, ..Query::default() };
    let mut queries = vec![all.clone()];
    for number in 0..7 {
        queries.push(Query { path: Some(format!("tools/{number}.ts")), ..all.clone() });
        queries.push(Query { session: Some(format!("session-{number}")), ..all.clone() });
    }
    queries.push(Query { kind: Some(crate::EventType::Call), ..all.clone() });
    queries.push(Query { tool: Some("read_file".to_owned()), ..all.clone() });
    queries.push(Query { since: Some(0), ..all.clone() });
    queries.push(Query { call: Some("x-1".to_owned()), ..all });
    for query in queries {
        for event in ledger.tail(&query).ok()? {
            for blob in crate::event::blobs::references(&event.content) {
                contents.push(format!("{:?}", ledger.blob(&blob).ok()?));
            }
            contents.push(event.json());
        }
    }
    for seq in 1..=123 {
        contents.push(ledger.event(seq).ok()??.json());
    }
    Some(contents)
}

fn reader(place: &Path) -> Result<Ledger, crate::LedgerError> {
    Ledger::open(&LedgerOptions { access: Access::ReadOnly, ..LedgerOptions::new(place) })
}

#[test]
fn random_changes_of_files_are_found_or_have_no_effect() {
    #[expect(clippy::disallowed_methods, reason = "an environment variable requests the long run")]
    let rounds = std::env::var("LEDGER_FUZZ").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(400);
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    fill(&ledger, 60);
    let args = raw(&format!(r#"{{"content":"{}"}}"#, "x".repeat(5000)));
    for _ in 0..3 {
        ledger.record(&call("x-1", &[("args", BodyValue::Json(&args))])).unwrap();
    }
    ledger.close().unwrap();
    drop(ledger);
    let before = reader(place.path()).unwrap();
    let (contents, mut dice) = (contents_of(&before).unwrap(), Dice(0x1234_5678_9abc_def1));
    drop(before);
    let files =
        ["ledger.db", "checkpoints"].map(|name| (place.path().join(name), fs::read(place.path().join(name)).unwrap()));
    let (mut found, mut without_effect) = (0, 0);
    for round in 0..rounds {
        let (path, whole) = &files[usize::from(dice.below(20) == 0)];
        let mut bytes = whole.clone();
        for _ in 0..=dice.below(3) {
            let at = dice.below(bytes.len());
            match dice.below(4) {
                0 => bytes[at] ^= 1 << dice.below(8),
                1 => bytes[at] = u8::try_from(dice.below(256)).unwrap(),
                2 => {
                    let end = (at + 1 + dice.below(64)).min(bytes.len());
                    bytes[at..end].fill(0);
                }
                _ => {
                    let other = dice.below(bytes.len());
                    bytes.swap(at, other);
                }
            }
        }
        if bytes == *whole {
            continue;
        }
        fs::write(path, &bytes).unwrap();
        let is_whole = reader(place.path()).and_then(|ledger| ledger.verify(&[])).is_ok_and(|found| found.ok());
        if is_whole {
            let same = reader(place.path()).ok().and_then(|ledger| contents_of(&ledger));
            assert!(same.as_ref() == Some(&contents), "round {round} was not found in {}", path.display());
            without_effect += 1;
        } else {
            found += 1;
        }
        fs::write(path, whole).unwrap();
    }
    eprint(found, without_effect);
    assert!(found > rounds / 4);
    assert_eq!(reader(place.path()).unwrap().verify(&[]).unwrap().problem, None);
}

#[expect(clippy::print_stderr, reason = "figures of the long run")]
fn eprint(found: usize, without_effect: usize) {
    eprintln!("{found} edits found, {without_effect} without effect");
}
