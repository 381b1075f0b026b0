//! The test-first state of tools, replayed from the ledger on the first query and kept current.

use crate::kernel::door::Door;
use crate::kernel::private_files::PrivateFiles;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use tgp_base::call::CallContext;
use tgp_ledger::{EventType, Hash, Ledger, MAX_EVENTS, Query, StoredEvent};
use tgp_state::{Event, Position, TestState, TestStatus, Texts};

/// The snapshot file, which saves reading the whole ledger.
const FILE: &str = "test_state.json";
/// Events between two snapshots; another is made when the kernel ends.
const EVENTS_PER_SNAPSHOT: usize = 2000;

pub struct LiveState {
    door: Arc<Door>,
    private: PrivateFiles,
    live: Mutex<LoadedState>,
}

/// The state, and the ledger position up to which it is current.
#[derive(Default)]
pub struct LoadedState {
    state: TestState,
    is_loaded: bool,
    /// The last ledger event that was read.
    read_to: EventPosition,
    /// Whether events of this process are in the state but not in the ledger yet.
    has_unread: bool,
    /// Events since the last snapshot.
    fresh: usize,
}

/// The position of a ledger event.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct EventPosition {
    seq: u64,
    hash: String,
}

#[derive(Serialize, Deserialize)]
struct Snapshot {
    place: EventPosition,
    state: Box<RawValue>,
}

/// The members that are read of an event.
#[derive(Deserialize)]
struct Recorded<'e> {
    process: String,
    #[serde(borrow)]
    what: &'e RawValue,
}

/// A reference to a value that is stored by its hash.
#[derive(Deserialize)]
struct BlobRef {
    #[serde(rename = "$blob")]
    blob: String,
}

impl LiveState {
    pub fn new(door: Arc<Door>, private: PrivateFiles) -> Self {
        Self { door, private, live: Mutex::default() }
    }

    /// Records an event and applies it.
    pub fn record(&self, by: Option<&CallContext>, path: &str, event: &Event) {
        let Ok(json) = to_raw_value(event) else { return };
        let mut live = self.live.lock();
        self.door.record_state(by, path, &json);
        live.has_unread = true;
        // Before the first query, only the ledger has the event.
        if live.is_loaded {
            live.apply(event);
            self.write_snapshot(&mut live, EVENTS_PER_SNAPSHOT);
        }
    }

    /// Queries the state. On a refusal, reads events of other processes and queries again.
    pub fn query<T, E>(&self, question: impl Fn(&TestState) -> Result<T, E>) -> Result<T, E> {
        let mut live = self.loaded();
        question(&live.state).or_else(|_| {
            self.catch_up(&mut live);
            question(&live.state)
        })
    }

    /// The status of a tool with these texts, without events of other processes since.
    pub fn status(&self, tool: &str, now: &Texts) -> TestStatus {
        self.loaded().state.status(tool, now)
    }

    /// Whether the tool was green with any text of its test.
    pub fn was_green(&self, tool: &str) -> bool {
        self.loaded().state.was_green(tool)
    }

    /// Flushes the ledger, so that other processes see this one's events.
    pub fn settle(&self) {
        if let Ok(ledger) = self.door.ledger() {
            // A failed flush is retried later.
            let _later = ledger.flush();
        }
    }

    /// Writes a snapshot, if there are new events.
    pub fn close(&self) {
        let mut live = self.live.lock();
        if live.is_loaded && live.fresh > 0 {
            self.catch_up(&mut live);
            self.write_snapshot(&mut live, 1);
        }
    }

    fn loaded(&self) -> MutexGuard<'_, LoadedState> {
        let mut live = self.live.lock();
        if !live.is_loaded {
            if let (Ok(ledger), Some((place, state))) = (self.door.ledger(), self.snapshot()) {
                let seen = ledger.event(place.seq).ok().flatten();
                // Ignores a snapshot of another ledger, or one before its first event, and reads all events.
                if seen.is_some_and(|event| event.hash.hex() == place.hash) {
                    (live.state, live.read_to) = (state, place);
                }
            }
            self.read_on(&mut live, EventSource::AllProcesses);
            live.is_loaded = true;
        }
        live
    }

    fn snapshot(&self) -> Option<(EventPosition, TestState)> {
        let text = self.private.read(FILE);
        let Snapshot { place, state } = serde_json::from_str(&text).ok()?;
        Some((place, TestState::from_snapshot(state.get().as_bytes())?))
    }

    fn catch_up(&self, live: &mut LoadedState) {
        self.read_on(live, EventSource::OtherProcesses);
    }

    /// Applies the ledger's events after `read_to`. After a failure, the next query retries.
    fn read_on(&self, live: &mut LoadedState, source: EventSource) {
        let Ok(ledger) = self.door.ledger() else { return };
        if std::mem::take(&mut live.has_unread) && ledger.flush().is_err() {
            live.has_unread = true;
        }
        loop {
            let after_seq = Some(live.read_to.seq);
            let query = Query { limit: MAX_EVENTS, kind: Some(EventType::State), after_seq, ..Query::default() };
            let Ok(events) = ledger.tail(&query) else { return };
            for stored in &events {
                if let Some(event) = self.event(ledger, stored, source) {
                    live.apply(&event);
                }
                live.read_to = EventPosition { seq: stored.seq, hash: stored.hash.hex() };
            }
            if events.len() < MAX_EVENTS {
                return;
            }
        }
    }

    fn event(&self, ledger: &Ledger, stored: &StoredEvent, source: EventSource) -> Option<Event> {
        let Recorded { process, what } = serde_json::from_str(&stored.content).ok()?;
        if source == EventSource::OtherProcesses && process == self.door.process() {
            return None;
        }
        if let Ok(BlobRef { blob }) = serde_json::from_str(what.get()) {
            let kept = ledger.blob(&Hash::parse(&blob)?).ok().flatten()?;
            return serde_json::from_slice(&kept).ok();
        }
        serde_json::from_str(what.get()).ok()
    }

    fn write_snapshot(&self, live: &mut LoadedState, fresh: usize) {
        // Catches up first: events that are not in the ledger yet would be applied twice.
        if live.fresh < fresh || self.door.ledger().is_err() {
            return;
        }
        self.catch_up(live);
        if let Ok(state) = RawValue::from_string(live.state.to_snapshot())
            && let Ok(text) = serde_json::to_string(&Snapshot { place: live.read_to.clone(), state })
        {
            self.private.write(FILE, &text);
            live.fresh = 0;
        }
    }
}

/// Which processes' events are applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EventSource {
    AllProcesses,
    /// Events of this process are applied already.
    OtherProcesses,
}

impl LoadedState {
    fn apply(&mut self, event: &Event) {
        let seq = self.state.position().map_or(1, |position| position.seq + 1);
        self.state.fold(Position { seq, hash: None }, event);
        self.fresh += 1;
    }
}
