use crate::ledger_error::LedgerError;
use crate::samples::{call, open};
use crate::writer::signals::Want;
use crate::writer::writer;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use tgp_base::threads::{Next, spawn, spawn_failure};

const LATE: Duration = Duration::from_secs(10);

#[test]
fn a_ledger_that_got_no_thread_to_close_is_used_and_closed_later() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    let writer = &ledger.writing.as_ref().unwrap().thread;
    writer.rest();
    assert!(writer.wait_for_end(Instant::now() + LATE));
    let closed = spawn_failure::during("tgp-ledger", || {
        ledger.record(&call("p-1", &[])).unwrap();
        ledger.close()
    });
    assert_eq!(closed, Err(LedgerError::NoThread));
    let (sender, done) = channel();
    let _thread = spawn("tgp-test", move || {
        sender.send(ledger.position().unwrap().size).unwrap();
        drop(ledger);
        sender.send(0).unwrap();
    });
    assert_eq!(done.recv_timeout(LATE), Ok(1), "the event is stored");
    assert_eq!(done.recv_timeout(LATE), Ok(0), "the ledger is closed");
}

#[test]
fn the_writer_takes_no_turn_after_the_closing_one() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    let writing = ledger.writing.as_ref().unwrap();
    writing.thread.join();
    let mut step = writer::steps(Arc::clone(&writing.shared));
    writing.shared.signals.ask(Want::Close, Some(Instant::now()), || Ok(())).unwrap();
    assert_eq!(step(), Next::End);
    assert_eq!(step(), Next::End, "it was woken while it closed");
}
