//! Event count and head hash of a ledger.

use serde::Serialize;

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Position {
    #[cfg_attr(test, ts(type = "number"))]
    pub size: u64,
    pub head: String,
}
