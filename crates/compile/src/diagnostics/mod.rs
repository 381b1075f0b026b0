//! Diagnostics, automatic fixes and compiler errors.

pub(super) mod compile_error;
pub(super) mod diagnostic;
