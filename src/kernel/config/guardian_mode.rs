//! Key `guardian`.

use serde::{Deserialize, Serialize};

/// What happens when the records of the workspace contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum GuardianMode {
    /// They are not compared.
    #[default]
    Off,
    /// A warning in the log.
    Warn,
    /// Every call that does more than read is refused.
    Halt,
}

impl GuardianMode {
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Halt => "halt",
        }
    }
}
