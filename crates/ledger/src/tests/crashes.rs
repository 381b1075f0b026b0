//! Killed processes: no effect without its intent, no reported call without its event, no duplicates.

use crate::samples::{call, open};
use crate::{CallState, EventType, HasResult, Importance, Ledger, LedgerOptions, NewEvent, Query};
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

const PLACE: &str = "LEDGER_CRASH_PLACE";
const KILLS: &str = "LEDGER_KILLS";
const PROCESSES: usize = 4;

#[expect(clippy::disallowed_methods, reason = "passes settings to the processes that the test starts")]
fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

/// Not a test: the code of the killed processes.
#[test]
#[ignore = "started by the test below"]
fn worker() {
    let Some(place) = environment(PLACE).map(PathBuf::from) else { return };
    let options = LedgerOptions { checkpoint_every: 100, ..LedgerOptions::new(&place.join("ledger")) };
    let ledger = Ledger::open(&options).unwrap();
    assert_eq!(ledger.boot_problem(), None);
    let own = place.join(format!("effects-{}", ledger.call_id()));
    let mut effects = OpenOptions::new().create(true).append(true).open(own).unwrap();
    for number in 1_u64.. {
        let id = ledger.call_id();
        let intent = NewEvent { importance: Importance::Intent, ..call(&id, &[]) };
        ledger.record(&intent).unwrap();
        effects.write_all(format!("effect {id}\n").as_bytes()).unwrap();
        // Bursts of calls with pauses for draining; half of the pauses are inside a call.
        let pause = |place: u64| {
            if number % 200 == place {
                std::thread::sleep(Duration::from_millis(2));
            }
        };
        pause(100);
        ledger.record(&NewEvent { kind: EventType::Result, importance: Importance::Other, ..intent }).unwrap();
        effects.write_all(format!("reported {id}\n").as_bytes()).unwrap();
        pause(0);
    }
}

#[expect(clippy::disallowed_methods, reason = "the test is about processes that end")]
fn start(place: &Path) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "tests::crashes::worker", "--ignored", "--nocapture"])
        .env(PLACE, place)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

#[test]
fn processes_killed_at_any_moment_lose_and_duplicate_nothing() {
    let kills = environment(KILLS).and_then(|kills| kills.parse().ok()).unwrap_or(20);
    let place = tempfile::tempdir().unwrap();
    let mut workers: Vec<Child> = (0..PROCESSES).map(|_| start(place.path())).collect();
    let mut dice = 88_172_645_463_325_252_u64;
    for kill in 0..kills {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        std::thread::sleep(Duration::from_millis(20 + dice % 120));
        end(&mut workers[kill % PROCESSES]);
        workers[kill % PROCESSES] = start(place.path());
    }
    workers.iter_mut().for_each(end);

    let ledger = open(&place.path().join("ledger"));
    ledger.flush().unwrap();
    assert_eq!(ledger.boot_problem(), None);
    let found = ledger.verify(&[]).unwrap();
    assert_eq!(found.problem, None);
    let events = counted(&ledger);
    let (mut effects, mut reported) = (0, 0);
    for file in fs::read_dir(place.path()).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
        for line in fs::read_to_string(file).unwrap().split_inclusive('\n').filter_map(|line| line.strip_suffix('\n')) {
            let (what, id) = line.split_once(' ').unwrap();
            let (calls, results) = events.get(id).copied().unwrap_or_default();
            assert_eq!(calls, 1, "the intent of {id}");
            match what {
                "effect" => effects += 1,
                _ => {
                    assert_eq!(results, 1, "the result of {id}");
                    reported += 1;
                }
            }
        }
    }
    assert!(events.values().all(|(calls, results)| *calls == 1 && *results <= 1));
    assert!(reported > kills, "{reported}");
    let open: Vec<&String> = events.iter().filter(|(_, (_, results))| *results == 0).map(|(id, _)| id).collect();
    for id in &open {
        assert_eq!(ledger.call_state(id, HasResult::No).unwrap(), CallState::Unknown);
    }
    show(&format!(
        "{kills} kills, {} events, {effects} effects, {reported} reported, {} unknown",
        found.events,
        open.len()
    ));
}

fn end(worker: &mut Child) {
    worker.kill().unwrap();
    let ended = worker.wait().unwrap();
    if let Some(code) = ended.code() {
        use std::io::Read;
        let mut stderr = String::new();
        worker.stderr.take().unwrap().read_to_string(&mut stderr).unwrap();
        panic!("a process ended by itself with {code}: {stderr}");
    }
}

/// The number of CALL and RESULT events of each call.
fn counted(ledger: &Ledger) -> HashMap<String, (usize, usize)> {
    let mut counts: HashMap<String, (usize, usize)> = HashMap::new();
    let mut after = 0;
    loop {
        let events = ledger.tail(&Query { limit: 10_000, after_seq: Some(after), ..Query::default() }).unwrap();
        let Some(last) = events.last() else { return counts };
        after = last.seq;
        for event in &events {
            let content: serde_json::Value = serde_json::from_str(&event.content).unwrap();
            let count = counts.entry(content["call"].as_str().unwrap().to_owned()).or_default();
            match content["type"].as_str() {
                Some("CALL") => count.0 += 1,
                _ => count.1 += 1,
            }
        }
    }
}

#[expect(clippy::print_stderr, reason = "figures of the long run")]
fn show(figures: &str) {
    eprintln!("{figures}");
}
