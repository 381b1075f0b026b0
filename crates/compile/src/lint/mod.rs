//! All rules on one source.

pub(super) mod linter;
mod suppression;
pub(super) mod test_file;
