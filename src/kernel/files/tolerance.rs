//! How exactly the old lines of a change must match the file.

use serde::Serialize;

/// The difference that a match tolerates.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    #[cfg_attr(test, ts(skip))]
    Exact,
    /// Trailing whitespace.
    TrailingSpace,
    /// Indentation and the amount of whitespace between words.
    Whitespace,
}

/// From strict to lenient.
pub const TOLERANCES: [Tolerance; 3] = [Tolerance::Exact, Tolerance::TrailingSpace, Tolerance::Whitespace];
