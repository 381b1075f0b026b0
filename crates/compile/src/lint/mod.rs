//! The linter and its suppression comments.

pub(super) mod linter;
mod suppression;
mod test_rules;
