//! Which details of SQL statements the policy's rules depend on.

use serde::{Deserialize, Serialize};

/// Ordered: rules about tables depend on verbs too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SqlDetail {
    /// All statements have the same verdict.
    #[default]
    Nothing,
    /// The verbs: whether a statement reads or writes.
    Verbs,
    /// The tables that a statement reaches.
    Tables,
}
