//! Parsing of policies, with the place of every value.

pub(super) mod fault;
pub(super) mod fields;
pub(super) mod json;
mod labels;
pub(super) mod matcher_context;
pub(super) mod node;
mod plain_scalar;
mod read_args;
mod read_assertions;
pub(super) mod read_matchers;
pub(super) mod read_policy;
pub(super) mod read_test;
pub(super) mod yaml;
