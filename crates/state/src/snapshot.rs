//! The state as text, so that a boot need not read the whole ledger.

use super::state::State;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Another number means that the fold, or what is kept of it, means something else.
const VERSION: u32 = 1;
/// Longer texts are not ours.
const MAX_BYTES: usize = 256 << 20;

#[derive(Deserialize)]
struct Read<'s> {
    version: u32,
    /// It is looked at only if the version is ours.
    #[serde(borrow)]
    state: &'s RawValue,
}

#[derive(Serialize)]
struct Written<'s> {
    version: u32,
    state: &'s State,
}

impl State {
    /// As JSON.
    #[must_use]
    pub fn to_snapshot(&self) -> String {
        // Nothing in it can fail to be written: names are text, and so are the keys of its maps.
        serde_json::to_string(&Written { version: VERSION, state: self }).unwrap_or_default()
    }

    /// The state of a snapshot, from which the ledger is read on behind [`State::position`]. Nothing for one that is damaged
    /// or of another version: then the whole ledger is read. Whoever reads it checks first that the ledger has the event of
    /// the position.
    #[must_use]
    pub fn from_snapshot(json: &[u8]) -> Option<Self> {
        if json.len() > MAX_BYTES {
            return None;
        }
        let read: Read<'_> = serde_json::from_slice(json).ok()?;
        (read.version == VERSION).then_some(())?;
        let mut state: State = serde_json::from_str(read.state.get()).ok()?;
        state.weigh();
        Some(state)
    }
}
