//! Exports of a ledger, and their formats.

pub(super) mod chronicle;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod export;
pub(super) mod export_file;
