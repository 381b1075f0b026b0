//! Test-first modes.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// Nothing is refused; everything is recorded.
    #[default]
    Explore,
    /// A failing test comes before the tool; only green tools are run or shared.
    Strict,
    /// Existing tools may be changed before their tests; only green tools are shared.
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
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == name)
    }
}
