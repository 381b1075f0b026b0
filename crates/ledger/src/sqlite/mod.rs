//! The SQLite store.

pub(super) mod check;
pub(super) mod failure;
pub(super) mod open;
pub(super) mod query;
pub(super) mod scan;
pub(super) mod schema;
pub(super) mod shrink;
pub(super) mod sqlite_store;
