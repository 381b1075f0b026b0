//! What somebody wants to read.

use super::event_type::EventType;

/// Most events that one query gives.
pub const MAX_EVENTS: usize = 10_000;

/// Which events; every condition that is said must hold. The newest `limit` of them, oldest first; with `after_seq` the
/// oldest `limit` behind that one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// At most `MAX_EVENTS`.
    pub limit: usize,
    pub session: Option<String>,
    pub path: Option<String>,
    pub tool: Option<String>,
    pub kind: Option<EventType>,
    /// Milliseconds since 1970, this one included.
    pub since: Option<u64>,
    /// Milliseconds since 1970, this one not included.
    pub until: Option<u64>,
    pub call: Option<String>,
    pub after_seq: Option<u64>,
}
