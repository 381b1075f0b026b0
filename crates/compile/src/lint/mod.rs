//! The linter and its suppression comments.

pub(super) mod linter;
mod suppression;
pub(super) mod test_file;
