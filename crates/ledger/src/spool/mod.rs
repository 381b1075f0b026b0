//! Spools: files of a process in which events wait for the store.

pub(super) mod prepare;
pub(super) mod prepare_plain;
pub(super) mod process_lock;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod spool;
pub(super) mod spool_file;
pub(super) mod spool_line;
pub(super) mod wait_for_spools;
