//! Queries for events.

use super::event::event_type::EventType;

/// The most events of one query.
pub const MAX_EVENTS: usize = 10_000;

/// A query. All given conditions must hold. Returns the newest `limit` events, oldest first; with `after_seq` the oldest
/// `limit` after that event.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Query {
    /// At most `MAX_EVENTS`.
    pub limit: usize,
    pub session: Option<String>,
    pub path: Option<String>,
    pub tool: Option<String>,
    pub kind: Option<EventType>,
    /// Milliseconds since 1970, inclusive.
    pub since: Option<u64>,
    /// Milliseconds since 1970, exclusive.
    pub until: Option<u64>,
    pub call: Option<String>,
    pub after_seq: Option<u64>,
}
