//! The hash chain of events, and its check.

#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod chain;
pub(super) mod chain_check;
