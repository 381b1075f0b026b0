//! The files and packages that a source names.

pub(super) mod import;
pub(super) mod interface;
pub(super) mod named;
pub(super) mod reference;
pub(super) mod restricted;
pub(super) mod specifiers;
pub mod std_library;
