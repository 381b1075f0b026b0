//! Events: their content in canonical form, columns, names and large values.

pub(super) mod blobs;
pub(super) mod canonical;
pub(super) mod content;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod event;
pub(super) mod event_type;
pub(super) mod names;
pub(super) mod plain_canonical;
pub(super) mod timestamp;
