//! The author and the origin of a request.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Author {
    /// A model, a tool that runs on its behalf, or an unknown author, as of fetched commits.
    Agent,
    /// A person, or the application itself. The rules do not apply to them, and a test that they write is trusted.
    Person,
}

/// Where a request comes from. It only affects the message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    Call,
    /// Inside a run of a tool.
    Run,
}

/// The source of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestSource {
    pub by: Author,
    pub through: Origin,
}
