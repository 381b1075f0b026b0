//! A full disk gives a typed error, and nothing is corrupted.

use crate::samples::{call, fill, open};
use crate::{Access, Importance, Ledger, LedgerError, LedgerOptions, NewEvent, Reason};
use std::fs;
use tgp_base::error::{ErrorCode, PartError};

/// Limits the file size of this process while `job` runs, to simulate a full disk.
#[cfg(target_os = "linux")]
fn with_small_disk<T>(job: impl FnOnce() -> T) -> T {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let before = getrlimit(Resource::Fsize);
    setrlimit(Resource::Fsize, Rlimit { current: Some(4096), maximum: before.maximum }).unwrap();
    let made = job();
    setrlimit(Resource::Fsize, before).unwrap();
    made
}

/// Not a test: runs in its own process, since the limit applies to a whole process, which must ignore its signal.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "run by the test below in a process of its own"]
fn full_disk() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    fill(&ledger, 10);
    let intent = NewEvent { importance: Importance::Intent, ..call("x-1", &[]) };
    let (refused, kept) = with_small_disk(|| {
        let refused = (0..100).find_map(|_| ledger.record(&intent).err());
        (refused, ledger.record(&call("x-2", &[])))
    });
    assert_eq!(refused, Some(LedgerError::Unwritable(Reason::DiskFull)));
    assert_eq!(refused.unwrap().code(), ErrorCode::Ledger);
    assert_eq!(kept, Ok(()));
    ledger.record(&intent).unwrap();
    ledger.flush().unwrap();
    assert_eq!(ledger.verify(&[]).unwrap().problem, None);
    let last = ledger.tail(&crate::Query { limit: 2, ..Default::default() }).unwrap();
    assert!(last[0].content.contains("x-2") && last[1].content.contains("x-1"), "in order");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_refuses_intents_and_corrupts_nothing() {
    // The limit's signal kills a process that does not ignore it, so a shell sets that up.
    #[expect(clippy::disallowed_methods, reason = "the test needs a process of its own")]
    let ended = std::process::Command::new("sh")
        .args(["-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "tests::refusals::full_disk", "--ignored"])
        .output()
        .unwrap();
    let printed = String::from_utf8_lossy(&ended.stdout);
    assert!(ended.status.success() && printed.contains("1 passed"), "{printed}");
}

#[test]
fn a_folder_that_cannot_be_created_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("file"), "").unwrap();
    let error = Ledger::open(&LedgerOptions::new(&place.path().join("file/ledger"))).err().unwrap();
    assert!(matches!(error, LedgerError::Unwritable(_)), "{error}");
}

#[test]
fn a_file_that_is_not_a_database_is_an_error() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("ledger.db"), "not a database, but long enough to look at ".repeat(100)).unwrap();
    let error = Ledger::open(&LedgerOptions::new(place.path())).err().unwrap();
    assert_eq!(error, LedgerError::Unreadable(Reason::Damaged));
}

#[test]
fn a_newer_ledger_is_refused() {
    let place = tempfile::tempdir().unwrap();
    drop(open(place.path()));
    let connection = rusqlite::Connection::open(place.path().join("ledger.db")).unwrap();
    connection.pragma_update(None, "user_version", 2).unwrap();
    for access in [Access::ReadWrite, Access::ReadOnly] {
        let error = Ledger::open(&LedgerOptions { access, ..LedgerOptions::new(place.path()) }).err();
        assert_eq!(error, Some(LedgerError::NewerSchema));
    }
}
