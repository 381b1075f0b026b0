//! Measurements of the ledger. Run by name, in a release build: `cargo test --release figures -- --ignored --nocapture`.

use crate::samples::{call, open, raw};
use crate::{BodyValue, EventType, Importance, Ledger, NewEvent, Query};
use std::time::{Duration, Instant};

#[expect(clippy::print_stderr, reason = "figures are shown")]
fn show(line: &str) {
    eprintln!("{line}");
}

fn record(ledger: &Ledger, from: usize, to: usize) {
    for number in from..to {
        let id = ledger.call_id();
        let (path, session) =
            (format!("tools/reports/{}.ts", number % 500), format!("0190c5a1-7f1e-7c3a-9b1d-{:012}", number / 100));
        let args = raw(&format!(r#"{{"customer":"c-{number}","since":"2026-01-01","limit":50}}"#));
        let body = [
            ("args", BodyValue::Json(&args)),
            ("effects", BodyValue::Text("run")),
            ("verdict", BodyValue::Text("allow")),
            ("rule", BodyValue::Text("reports")),
        ];
        let event =
            NewEvent { session: Some(&session), path: Some(&path), tool: Some("exec_tool"), ..call(&id, &body) };
        ledger.record(&event).unwrap();
        let body = [("ms", BodyValue::Integer(3)), ("result", BodyValue::Json(&args))];
        ledger.record(&NewEvent { kind: EventType::Result, body: &body, ..event }).unwrap();
    }
}

fn middle(job: impl Fn()) -> Duration {
    let mut times: Vec<_> = (0..21).map(|_| (Instant::now(), job()).0.elapsed()).collect();
    times.sort_unstable();
    times[10]
}

#[test]
#[ignore = "takes minutes"]
fn cost_of_recording() {
    let place = tempfile::tempdir().unwrap();
    let ledger = open(place.path());
    let args = raw(&format!(r#"{{"text":"{}"}}"#, "x".repeat(150)));
    let body = [("args", BodyValue::Json(&args)), ("verdict", BodyValue::Text("allow"))];
    let event = NewEvent { importance: Importance::Intent, ..call("0123456789ab-12345", &body) };
    let mut line = Vec::new();
    crate::spool::spool_line::write_line(&event, &mut line);
    for round in 0..3 {
        let mut times: Vec<Duration> = (0..5000)
            .map(|_| {
                std::thread::sleep(Duration::from_micros(20));
                let start = Instant::now();
                ledger.record(&event).unwrap();
                start.elapsed()
            })
            .collect();
        times.sort_unstable();
        show(&format!(
            "round {round}: record of a line of {} bytes: p50 {:?}, p99 {:?}",
            line.len(),
            times[2500],
            times[4950]
        ));
    }
}

#[test]
#[ignore = "takes minutes"]
fn cost_by_size() {
    let place = tempfile::tempdir().unwrap();
    let mut before = 0;
    for size in [1_000, 100_000, 1_000_000] {
        let ledger = open(place.path());
        let start = Instant::now();
        for from in (before / 2..size / 2).step_by(50_000) {
            record(&ledger, from, (from + 50_000).min(size / 2));
            ledger.flush().unwrap();
        }
        ledger.close().unwrap();
        let drained = start.elapsed();
        before = size;
        drop(ledger);
        let bytes = std::fs::metadata(place.path().join("ledger.db")).unwrap().len();
        let start = Instant::now();
        let ledger = open(place.path());
        let opened = start.elapsed();
        let content: usize = ledger.after(0, 1000).unwrap().iter().map(|event| event.content.len()).sum();
        show(&format!(
            "{size} events: recorded and drained in {drained:?}, {} bytes each ({} of content), open with boot check {opened:?}",
            bytes / size as u64,
            content / 1000
        ));
        let all = Query { limit: 50, ..Query::default() };
        let session = Some("0190c5a1-7f1e-7c3a-9b1d-000000000003".to_owned());
        let path = Some("tools/reports/7.ts".to_owned());
        let run = |query: &Query| _ = ledger.tail(query).unwrap();
        show(&format!(
            "  tail {:?}, session {:?}, path {:?}, type {:?}, type+path {:?}, since {:?}, tree {:?}",
            middle(|| run(&all)),
            middle(|| run(&Query { session: session.clone(), ..all.clone() })),
            middle(|| run(&Query { path: path.clone(), ..all.clone() })),
            middle(|| run(&Query { kind: Some(EventType::Call), ..all.clone() })),
            middle(|| run(&Query { kind: Some(EventType::Call), path: path.clone(), ..all.clone() })),
            middle(|| run(&Query { since: Some(0), ..all.clone() })),
            middle(|| _ = ledger.tree("nobody").unwrap()),
        ));
        let before_all = processor_time();
        let verified = quickest_of(3, || assert!(ledger.verify(&[]).unwrap().ok()));
        show(&format!("  verify {verified:?}, {:?} of processor time", (processor_time() - before_all) / 3));
    }
}

/// The CPU time of this process, since wall time is unreliable on a shared machine.
fn processor_time() -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap(), time.tv_nsec.try_into().unwrap())
}

fn quickest_of(rounds: usize, job: impl Fn()) -> Duration {
    (0..rounds).map(|_| (Instant::now(), job()).0.elapsed()).min().unwrap()
}
