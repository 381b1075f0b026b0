//! What rules look at in a statement of SQL: how much of it has to be right.

use serde::{Deserialize, Serialize};

/// In order: who looks at tables looks at verbs too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SqlDetail {
    /// Every statement is judged alike.
    #[default]
    Nothing,
    /// Whether it reads or writes.
    Verbs,
    /// Which tables it reaches.
    Tables,
}
