//! Imports, exports and references of a source.

pub(super) mod import;
pub(super) mod import_target;
pub(super) mod links;
pub(super) mod module_exports;
pub(super) mod reference;
pub(super) mod restricted_import;
pub(super) mod specifiers;
pub mod std_library;
pub(super) mod test_file;
