//! Branches: the current one, the target of a change, pending pull requests and backups.

pub(super) mod backup_branch;
pub(super) mod head;
pub(super) mod pending;
pub(super) mod references;
pub(super) mod strategy;
