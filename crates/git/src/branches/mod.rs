//! Branches by name: which one is current, where a change goes, what waits for a merge, what is backed up.

pub(super) mod backup_branch;
pub(super) mod head;
pub(super) mod pending;
pub(super) mod references;
pub(super) mod strategy;
