//! What is reported about a source, and the repairs that a report offers.

pub(super) mod compile_error;
pub(super) mod diagnostic;
pub(super) mod fix;
