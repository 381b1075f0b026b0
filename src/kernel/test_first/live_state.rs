//! The state of tools as the ledger tells it: made on the first question, followed from then on.

use crate::kernel::door::{Door, PresentCall};
use crate::kernel::private_files::PrivateFiles;
use parking_lot::{Mutex, MutexGuard};
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use std::sync::Arc;
use tgp_ledger::{EventType, Hash, Ledger, MAX_EVENTS, Query, StoredEvent};
use tgp_state::{Event, Position, TestState, TestStatus, Texts};

/// Where a copy of the state is kept, so that the whole ledger need not be read.
const FILE: &str = "test_state.json";
/// A copy is made after so many events, and when the kernel ends.
const EVENTS_PER_COPY: usize = 2000;

pub struct LiveState {
    door: Arc<Door>,
    private: PrivateFiles,
    live: Mutex<Live>,
}

/// The state, and how far the ledger is in it.
#[derive(Default)]
pub struct Live {
    state: TestState,
    is_loaded: bool,
    /// The last event of the ledger that was looked at.
    read_to: Place,
    /// Events of this process are in the state before they are in the ledger.
    has_unread: bool,
    /// Events since the last copy.
    fresh: usize,
}

/// An event of the ledger.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Place {
    seq: u64,
    hash: String,
}

#[derive(Serialize, Deserialize)]
struct Copy {
    place: Place,
    state: Box<RawValue>,
}

/// What is read of an event.
#[derive(Deserialize)]
struct Recorded<'e> {
    process: String,
    #[serde(borrow)]
    what: &'e RawValue,
}

/// A value that is kept beside its event.
#[derive(Deserialize)]
struct Beside {
    #[serde(rename = "$blob")]
    blob: String,
}

impl LiveState {
    pub fn new(door: Arc<Door>, private: PrivateFiles) -> Self {
        Self { door, private, live: Mutex::default() }
    }

    /// Writes an event down, and takes it in.
    pub fn tell(&self, by: Option<&PresentCall>, path: &str, event: &Event) {
        let Ok(json) = to_raw_value(event) else { return };
        let mut live = self.live.lock();
        self.door.record_state(by, path, &json);
        live.has_unread = true;
        // Until somebody asks, the ledger alone knows.
        if live.is_loaded {
            live.take_in(event);
            self.keep_copy(&mut live, EVENTS_PER_COPY);
        }
    }

    /// Asks the state; when it says no, once more with what other processes have told the ledger since.
    pub fn ask<T, E>(&self, question: impl Fn(&TestState) -> Result<T, E>) -> Result<T, E> {
        let mut live = self.loaded();
        question(&live.state).or_else(|_| {
            self.catch_up(&mut live);
            question(&live.state)
        })
    }

    /// Where a tool stands with these texts, as far as is known here.
    pub fn status(&self, tool: &str, now: &Texts) -> TestStatus {
        self.loaded().state.status(tool, now)
    }

    /// Whether the tool was green with any text of its test.
    pub fn was_green(&self, tool: &str) -> bool {
        self.loaded().state.was_green(tool)
    }

    /// Has other processes know at once what this one has told.
    pub fn settle(&self) {
        if let Ok(ledger) = self.door.ledger() {
            // What cannot be stored now is stored later; until then the others lack it.
            let _later = ledger.flush();
        }
    }

    /// Keeps a copy, if there is anything new.
    pub fn close(&self) {
        let mut live = self.live.lock();
        if live.is_loaded && live.fresh > 0 {
            self.catch_up(&mut live);
            self.keep_copy(&mut live, 1);
        }
    }

    fn loaded(&self) -> MutexGuard<'_, Live> {
        let mut live = self.live.lock();
        if !live.is_loaded {
            if let (Ok(ledger), Some((place, state))) = (self.door.ledger(), self.copy()) {
                let seen = ledger.event(place.seq).ok().flatten();
                // Another ledger, or one that begins behind it: then everything that is there is read.
                if seen.is_some_and(|event| event.hash.hex() == place.hash) {
                    (live.state, live.read_to) = (state, place);
                }
            }
            self.read_on(&mut live, Whose::Everybodys);
            live.is_loaded = true;
        }
        live
    }

    fn copy(&self) -> Option<(Place, TestState)> {
        let text = self.private.read(FILE);
        let Copy { place, state } = serde_json::from_str(&text).ok()?;
        Some((place, TestState::from_snapshot(state.get().as_bytes())?))
    }

    fn catch_up(&self, live: &mut Live) {
        self.read_on(live, Whose::Others);
    }

    /// Takes in what the ledger has behind the place that was read to. What cannot be read now is read with the next
    /// question; until then nothing of it counts.
    fn read_on(&self, live: &mut Live, whose: Whose) {
        let Ok(ledger) = self.door.ledger() else { return };
        if std::mem::take(&mut live.has_unread) && ledger.flush().is_err() {
            live.has_unread = true;
        }
        loop {
            let after_seq = Some(live.read_to.seq);
            let query = Query { limit: MAX_EVENTS, kind: Some(EventType::State), after_seq, ..Query::default() };
            let Ok(events) = ledger.tail(&query) else { return };
            for stored in &events {
                if let Some(event) = self.event(ledger, stored, whose) {
                    live.take_in(&event);
                }
                live.read_to = Place { seq: stored.seq, hash: stored.hash.hex() };
            }
            if events.len() < MAX_EVENTS {
                return;
            }
        }
    }

    fn event(&self, ledger: &Ledger, stored: &StoredEvent, whose: Whose) -> Option<Event> {
        let Recorded { process, what } = serde_json::from_str(&stored.content).ok()?;
        if whose == Whose::Others && process == self.door.process() {
            return None;
        }
        if let Ok(Beside { blob }) = serde_json::from_str(what.get()) {
            let kept = ledger.blob(&Hash::parse(&blob)?).ok().flatten()?;
            return serde_json::from_slice(&kept).ok();
        }
        serde_json::from_str(what.get()).ok()
    }

    fn keep_copy(&self, live: &mut Live, fresh: usize) {
        // What this process told and the ledger has not yet would be taken in twice.
        if live.fresh < fresh || self.door.ledger().is_err() {
            return;
        }
        self.catch_up(live);
        if let Ok(state) = RawValue::from_string(live.state.to_snapshot())
            && let Ok(text) = serde_json::to_string(&Copy { place: live.read_to.clone(), state })
        {
            self.private.write(FILE, &text);
            live.fresh = 0;
        }
    }
}

/// Whose events are taken in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Everybodys,
    /// Those of this process are in it already.
    Others,
}

impl Live {
    fn take_in(&mut self, event: &Event) {
        let seq = self.state.position().map_or(1, |position| position.seq + 1);
        self.state.fold(Position { seq, hash: None }, event);
        self.fresh += 1;
    }
}
