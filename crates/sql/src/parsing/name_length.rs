//! The maximum length of a name.

use super::dialect::SqlSyntax;
use crate::sql_error::{SqlError, refused};

/// PostgreSQL truncates longer names, so that two spellings would be the same table.
const MAX_NAME_BYTES: usize = 63;

pub(super) fn too_long(syntax: SqlSyntax, bytes: usize) -> bool {
    syntax == SqlSyntax::Postgres && bytes > MAX_NAME_BYTES
}

pub(super) fn long_name() -> SqlError {
    refused(
        "a name of more than 63 bytes is not accepted, because PostgreSQL would truncate it",
        "Write the truncated name.",
    )
}
