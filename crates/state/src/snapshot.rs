//! Snapshots of the state as JSON, so that a boot does not read the whole ledger.

use super::test_state::TestState;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// Must change when the fold or the stored form changes.
const VERSION: u32 = 1;
/// Larger snapshots are rejected.
const MAX_BYTES: usize = 256 << 20;

#[derive(Deserialize)]
struct SnapshotIn<'s> {
    version: u32,
    /// Parsed only if the version matches.
    #[serde(borrow)]
    state: &'s RawValue,
}

#[derive(Serialize)]
struct SnapshotOut<'s> {
    version: u32,
    state: &'s TestState,
}

impl TestState {
    /// The state as JSON.
    #[must_use]
    pub fn to_snapshot(&self) -> String {
        // Serialisation cannot fail: all map keys are strings.
        serde_json::to_string(&SnapshotOut { version: VERSION, state: self }).unwrap_or_default()
    }

    /// Parses a snapshot; the ledger is then read from [`TestState::position`] on. `None` for a damaged snapshot or another
    /// version: then the whole ledger is read. The caller checks that the ledger has the event of the position.
    #[must_use]
    pub fn from_snapshot(json: &[u8]) -> Option<Self> {
        if json.len() > MAX_BYTES {
            return None;
        }
        let read: SnapshotIn<'_> = serde_json::from_slice(json).ok()?;
        (read.version == VERSION).then_some(())?;
        let mut state: TestState = serde_json::from_str(read.state.get()).ok()?;
        state.recount();
        Some(state)
    }
}
