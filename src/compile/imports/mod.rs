//! The files and packages that a source names.

pub(super) mod import;
pub(super) mod reference;
pub(super) mod specifiers;
