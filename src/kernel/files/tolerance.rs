//! How exactly the lines of a change must be those of the file.

use serde::Serialize;

/// What was forgiven on the way to a match.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum Tolerance {
    #[cfg_attr(test, ts(skip))]
    Exact,
    /// Spaces at the ends of lines.
    TrailingSpace,
    /// How far lines are indented, and how many spaces stand between words.
    Whitespace,
}

/// From the least to the most.
pub const TOLERANCES: [Tolerance; 3] = [Tolerance::Exact, Tolerance::TrailingSpace, Tolerance::Whitespace];
