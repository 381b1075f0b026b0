//! The writer, which moves events from spools into the store.

pub(super) mod drain;
pub(super) mod signals;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod writer;
