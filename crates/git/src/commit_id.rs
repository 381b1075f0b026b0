//! The hash of a commit.

use std::fmt;

/// A commit's hash as 40 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct CommitId(String);

impl CommitId {
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<git2::Oid> for CommitId {
    fn from(id: git2::Oid) -> Self {
        Self(id.to_string())
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}
