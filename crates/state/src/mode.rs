//! How strict the kernel is about tests, and who asks.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing is refused, all is recorded.
    #[default]
    Explore,
    /// First a test that fails, then the tool; what is run or shared is green.
    Strict,
    /// Tools that exist may be changed first; what is shared is green.
    Debug,
}

impl Mode {
    pub const ALL: [Self; 3] = [Self::Explore, Self::Strict, Self::Debug];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Explore => "explore",
            Self::Strict => "strict",
            Self::Debug => "debug",
        }
    }

    #[must_use]
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// A model, a tool that runs on its behalf, or somebody whom nobody knows: what came with Git.
    Agent,
    /// A person, or the application itself. They are held to nothing, and what they write of a test is what is meant.
    Person,
}

/// Where somebody asks from. It decides nothing; it is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Through {
    Call,
    /// From inside a run of a tool.
    Run,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Who {
    pub by: By,
    pub through: Through,
}
