//! Keys `memory` (semantic search) and `reuse` (duplicate detection).

use serde::{Deserialize, Serialize};

/// Whether tool texts are embedded by a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum MemoryMode {
    /// If there is a model.
    #[default]
    Auto,
    Off,
}

/// How a new tool that duplicates another is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ReuseMode {
    /// It is written without a check for duplicates.
    Off,
    /// It is written, and the answer names the other one.
    #[default]
    Warn,
    /// It is refused, with the call of the other one.
    Strict,
}
