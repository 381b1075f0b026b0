//! Log levels of `console`.

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    Debug,
    Info,
    Log,
    Warn,
    Error,
}

impl LogLevel {
    /// Every level, and the name of its function on `console`.
    pub const NAMED: [(Self, &'static str); 5] = [
        (Self::Debug, "debug"),
        (Self::Info, "info"),
        (Self::Log, "log"),
        (Self::Warn, "warn"),
        (Self::Error, "error"),
    ];

    /// The number of the level in a realm.
    #[must_use]
    pub fn number(self) -> u32 {
        self as u32
    }

    pub(super) fn from_number(number: u32) -> Option<Self> {
        Self::NAMED.into_iter().map(|(level, _)| level).find(|level| level.number() == number)
    }
}
