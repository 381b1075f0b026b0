//! Opening a ledger only reads.

use crate::Query;
use crate::samples::{fill, open};
use std::fs;

fn all(limit: usize) -> Query {
    Query { limit, ..Query::default() }
}

#[test]
fn opening_and_closing_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let contents = || {
        let entries = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let mut files: Vec<_> = entries.filter(|path| path.is_file()).collect();
        files.sort_unstable();
        files.into_iter().map(|path| (fs::read(&path).unwrap(), path)).collect::<Vec<_>>()
    };
    let reopen = || {
        let ledger = open(folder.path());
        assert_eq!(ledger.boot_problem(), None);
        let opened = contents();
        let position = ledger.last_position();
        ledger.close().unwrap();
        (opened, position)
    };
    let (new, position) = reopen();
    assert_eq!((position.size, new.len()), (0, 1));
    assert_eq!((new[0].0.len(), contents()), (0, new), "an empty database");
    let ledger = open(folder.path());
    assert_eq!((ledger.position().unwrap().size, ledger.tail(&all(9)).unwrap()), (0, Vec::new()));
    fill(&ledger, 5);
    ledger.close().unwrap();
    let before = contents();
    let (opened, position) = reopen();
    assert_eq!(position.size, 10);
    let database = |contents: &[(Vec<u8>, _)]| contents.iter().map(|(bytes, _)| bytes.len()).max();
    assert_eq!(database(&opened), database(&before));
    assert_eq!(contents(), before, "nothing remains of the readers");
}

#[test]
fn a_ledger_that_another_process_has_just_created_is_read() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (open(folder.path()), open(folder.path()));
    assert_eq!(other.position().unwrap().size, 0);
    fill(&one, 2);
    assert_eq!(other.position().unwrap().size, 4);
    assert_eq!(other.tail(&all(9)).unwrap().len(), 4);
    fill(&other, 1);
    assert_eq!(one.verify(&[]).unwrap().events, 6);
}
