//! How long a name may be.

use super::dialect::Lexis;
use crate::sql_error::{SqlError, refused};

/// Names longer than this PostgreSQL cuts off, so that two spellings are one table.
const MAX_NAME_BYTES: usize = 63;

pub(super) fn too_long(lexis: Lexis, bytes: usize) -> bool {
    lexis == Lexis::Postgres && bytes > MAX_NAME_BYTES
}

pub(super) fn long_name() -> SqlError {
    refused("a name of more than 63 bytes, which PostgreSQL would cut off, is not accepted", "Write the name itself.")
}
