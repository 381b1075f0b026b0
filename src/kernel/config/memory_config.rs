//! Whether tools are found by meaning, and whether they are used again.

use serde::{Deserialize, Serialize};

/// Whether a model reads the texts of tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum MemoryMode {
    /// If there is one.
    #[default]
    Auto,
    Off,
}

/// What becomes of a new tool for a job that another tool does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum ReuseMode {
    /// It is written, and nobody looks.
    Off,
    /// It is written, and the answer names the other one.
    #[default]
    Warn,
    /// It is refused, with the call of the other one.
    Strict,
}
