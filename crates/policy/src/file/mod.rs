//! From the text of a policy to what it says, with the place of every word.

pub(super) mod fault;
pub(super) mod fields;
pub(super) mod json;
pub(super) mod node;
mod plain_scalar;
pub(super) mod purpose;
mod read_args;
pub(super) mod read_matchers;
pub(super) mod read_policy;
pub(super) mod read_test;
pub(super) mod yaml;
