//! Removal of old events, and the events that record it.

pub(super) mod cut;
pub(super) mod dropped_event;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod retention;
