//! All rules on one source.

pub(super) mod linter;
mod suppression;
