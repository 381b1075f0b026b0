//! Matching of rules and token caveats against calls.

pub(super) mod arg_matcher;
pub(super) mod fit;
pub(super) mod matchers;
pub(super) mod path_set;
pub(super) mod principal_pattern;
pub(super) mod targets;
