//! The verbs of statements, as used in rules.

use serde::{Deserialize, Serialize};

/// The action of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Verb {
    Select,
    Insert,
    Update,
    Delete,
    Replace,
    Merge,
    Truncate,
    Create,
    Alter,
    Drop,
    /// `SHOW`, `DESCRIBE`, or a `PRAGMA` that reads.
    Show,
    /// `ANALYZE`, `REINDEX`, `REFRESH`, `COMMENT`.
    Maintain,
}

/// What a statement can change in the database.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Access {
    Read,
    Write,
    Schema,
}

impl Verb {
    pub const ALL: [Self; 12] = [
        Self::Select,
        Self::Insert,
        Self::Update,
        Self::Delete,
        Self::Replace,
        Self::Merge,
        Self::Truncate,
        Self::Create,
        Self::Alter,
        Self::Drop,
        Self::Show,
        Self::Maintain,
    ];

    pub const fn access(self) -> Access {
        match self {
            Self::Select | Self::Show => Access::Read,
            Self::Insert | Self::Update | Self::Delete | Self::Replace | Self::Merge => Access::Write,
            Self::Truncate | Self::Create | Self::Alter | Self::Drop | Self::Maintain => Access::Schema,
        }
    }

    /// Verbs that this verb implies: if one of them is denied, so is this verb.
    pub const fn implies(self) -> &'static [Self] {
        match self {
            Self::Replace => &[Self::Delete, Self::Insert],
            Self::Truncate => &[Self::Delete],
            Self::Select
            | Self::Insert
            | Self::Update
            | Self::Delete
            | Self::Merge
            | Self::Create
            | Self::Alter
            | Self::Drop
            | Self::Show
            | Self::Maintain => &[],
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Select => "select",
            Self::Insert => "insert",
            Self::Update => "update",
            Self::Delete => "delete",
            Self::Replace => "replace",
            Self::Merge => "merge",
            Self::Truncate => "truncate",
            Self::Create => "create",
            Self::Alter => "alter",
            Self::Drop => "drop",
            Self::Show => "show",
            Self::Maintain => "maintain",
        }
    }

    /// The SQL keywords of the verb, for messages.
    pub const fn keywords(self) -> &'static str {
        match self {
            Self::Select => "SELECT",
            Self::Insert => "INSERT",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
            Self::Replace => "REPLACE",
            Self::Merge => "MERGE",
            Self::Truncate => "TRUNCATE",
            Self::Create => "CREATE",
            Self::Alter => "ALTER",
            Self::Drop => "DROP",
            Self::Show => "SHOW",
            Self::Maintain => "ANALYZE, REINDEX, REFRESH or COMMENT",
        }
    }

    /// The verb for the first word of a statement.
    pub fn leading(word: &str) -> Option<Self> {
        Some(match word {
            "SELECT" | "VALUES" | "TABLE" | "WITH" | "EXPLAIN" => Self::Select,
            "INSERT" => Self::Insert,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            "REPLACE" => Self::Replace,
            "MERGE" => Self::Merge,
            "TRUNCATE" => Self::Truncate,
            "CREATE" => Self::Create,
            "ALTER" => Self::Alter,
            "DROP" => Self::Drop,
            "SHOW" | "DESCRIBE" | "DESC" | "PRAGMA" => Self::Show,
            "ANALYZE" | "REINDEX" | "REFRESH" | "COMMENT" => Self::Maintain,
            _ => return None,
        })
    }

    /// The verb for a later word of a statement: a common table expression may write.
    pub fn inner(word: &str) -> Option<Self> {
        Some(match word {
            "INSERT" => Self::Insert,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            "REPLACE" => Self::Replace,
            "MERGE" => Self::Merge,
            "TRUNCATE" => Self::Truncate,
            // `RETURNING` reads, and errors can quote values that are read.
            "SELECT" | "RETURNING" => Self::Select,
            _ => return None,
        })
    }
}
