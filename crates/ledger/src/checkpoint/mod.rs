//! Signed checkpoints.

#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod checkpoint;
pub(super) mod checkpoint_file;
pub(super) mod checkpoints;
pub(super) mod signing_key;
