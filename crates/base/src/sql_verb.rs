//! The verbs of SQL statements, as rules name them, and what they change.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};

/// The action of a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum SqlVerb {
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

impl SqlVerb {
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

    #[must_use]
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

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|verb| verb.as_str().eq_ignore_ascii_case(word))
    }

    #[must_use]
    pub const fn access(self) -> Access {
        match self {
            Self::Select | Self::Show => Access::Read,
            Self::Insert | Self::Update | Self::Delete | Self::Replace | Self::Merge => Access::Write,
            Self::Truncate | Self::Create | Self::Alter | Self::Drop | Self::Maintain => Access::Schema,
        }
    }

    /// The SQL keywords of the verb, for messages.
    #[must_use]
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

    const fn bit(self) -> u16 {
        1 << self as u16
    }

    /// The verbs that this one includes: a rule that restricts one of these restricts the verb.
    #[must_use]
    pub const fn implies(self) -> SqlVerbs {
        match self {
            Self::Replace => SqlVerbs(Self::Delete.bit() | Self::Insert.bit()),
            Self::Merge => SqlVerbs(Self::Delete.bit() | Self::Insert.bit() | Self::Update.bit()),
            Self::Truncate | Self::Drop => SqlVerbs(Self::Delete.bit()),
            Self::Select
            | Self::Insert
            | Self::Update
            | Self::Delete
            | Self::Create
            | Self::Alter
            | Self::Show
            | Self::Maintain => SqlVerbs(0),
        }
    }
}

/// A set of verbs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SqlVerbs(u16);

impl SqlVerbs {
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether all verbs of `other` are in this set.
    #[must_use]
    pub const fn holds(self, other: Self) -> bool {
        other.0 & !self.0 == 0
    }

    #[must_use]
    pub const fn meets(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// This set with all included verbs.
    #[must_use]
    pub fn with_implied(self) -> Self {
        self.iter().fold(self, |all, verb| Self(all.0 | verb.implies().0))
    }

    pub fn iter(self) -> impl Iterator<Item = SqlVerb> {
        SqlVerb::ALL.into_iter().filter(move |verb| self.0 & verb.bit() != 0)
    }

    #[must_use]
    pub fn words(self) -> Vec<&'static str> {
        self.iter().map(SqlVerb::as_str).collect()
    }
}

impl FromIterator<SqlVerb> for SqlVerbs {
    fn from_iter<I: IntoIterator<Item = SqlVerb>>(verbs: I) -> Self {
        verbs.into_iter().fold(Self(0), |all, verb| Self(all.0 | verb.bit()))
    }
}

impl Serialize for SqlVerbs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.words().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SqlVerbs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        words.iter().map(|word| SqlVerb::parse(word).ok_or_else(|| D::Error::custom("unknown verb"))).collect()
    }
}
