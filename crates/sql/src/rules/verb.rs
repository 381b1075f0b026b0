//! What statements do, as the words that rules are written in.

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
    /// `SHOW`, `DESCRIBE`, reading a `PRAGMA`.
    Show,
    /// `ANALYZE`, `REINDEX`, `REFRESH`, `COMMENT`.
    Maintain,
}

/// How much of the database a statement can change.
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

    /// What else happens to rows: who denies one of these denies the verb.
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

    /// The verb as statements have it.
    pub const fn said(self) -> &'static str {
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

    /// The verb that a statement begins with; nothing for every other word.
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

    /// The verb of a word in the middle of a statement: a common table expression may write.
    pub fn inner(word: &str) -> Option<Self> {
        Some(match word {
            "INSERT" => Self::Insert,
            "UPDATE" => Self::Update,
            "DELETE" => Self::Delete,
            "REPLACE" => Self::Replace,
            "MERGE" => Self::Merge,
            "TRUNCATE" => Self::Truncate,
            // What is read comes back through RETURNING, or through an error that quotes it.
            "SELECT" | "RETURNING" => Self::Select,
            _ => return None,
        })
    }
}
