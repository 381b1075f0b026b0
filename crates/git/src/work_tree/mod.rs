//! Checkout: updates of the files and the index to match a branch.

pub(super) mod checkout;
pub(super) mod exclude_file;
pub(super) mod index_file;
pub(super) mod index_update;
pub(super) mod pending_status;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod work_tree;
