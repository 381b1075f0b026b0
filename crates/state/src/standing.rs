//! Where a tool stands between its first test and green.

use super::text_id::TextId;
use serde::Serialize;

/// The texts of a tool and of its test, at one time and place: on the disk, or in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Texts {
    /// Nothing if there is no such file.
    pub tool: Option<TextId>,
    pub test: Option<TextId>,
    /// One hash over all other files that a run of the tool loads. Nothing if nobody took it: then they may have changed.
    pub imports: Option<TextId>,
}

/// no test → red → green → changed → green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    NoTest,
    Red,
    Green,
    Changed,
}

/// Which text is another than when the tool was green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    Tool,
    Test,
    Imports,
}

/// Cases that were green and do not run any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Some of their names; none where only their number is known.
    pub names: Vec<String>,
    pub count: usize,
}

/// The phase, and what keeps it from being green.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    NoTest,
    /// The test was never run as it is.
    NotRun,
    /// The test fails with the texts of now, or the tool is missing.
    Red,
    /// The test was seen to fail as it is, and was not run with the tool of now.
    Untried,
    Green,
    Changed(Changed),
    /// The test has no cases.
    Empty,
    /// The test does not compile, or fails outside of its cases.
    Broken,
    /// Cases are left out by `skip`, `only` or `todo`.
    LeftOut,
    /// Cases expect nothing.
    Hollow,
    /// It passed and failed with the same texts.
    Flaky,
    /// The test passes without the tool.
    Vacuous,
    /// The test passes, and was never seen to fail.
    Unproven,
    Weakened(Missing),
}

impl Standing {
    #[must_use]
    pub const fn phase(&self) -> Phase {
        match self {
            Self::NoTest | Self::NotRun => Phase::NoTest,
            Self::Green => Phase::Green,
            Self::Changed(_) => Phase::Changed,
            Self::Red
            | Self::Untried
            | Self::Empty
            | Self::Broken
            | Self::LeftOut
            | Self::Hollow
            | Self::Flaky
            | Self::Vacuous
            | Self::Unproven
            | Self::Weakened(_) => Phase::Red,
        }
    }

    /// The word for it in `details.reason`.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::NoTest => "no_test",
            Self::NotRun => "not_run",
            Self::Red => "red",
            Self::Untried => "untried",
            Self::Green => "green",
            Self::Changed(Changed::Tool) => "tool_changed",
            Self::Changed(Changed::Test) => "test_changed",
            Self::Changed(Changed::Imports) => "imports_changed",
            Self::Empty => "empty",
            Self::Broken => "broken",
            Self::LeftOut => "left_out",
            Self::Hollow => "hollow",
            Self::Flaky => "flaky",
            Self::Vacuous => "vacuous",
            Self::Unproven => "unproven",
            Self::Weakened(_) => "weakened",
        }
    }

    /// Whether the text of the tool may become another: there is a test that says what it should be.
    #[must_use]
    pub const fn lets_write(&self) -> bool {
        match self {
            Self::Red | Self::Untried | Self::Green | Self::Changed(Changed::Tool | Changed::Imports) => true,
            Self::NoTest
            | Self::NotRun
            | Self::Changed(Changed::Test)
            | Self::Empty
            | Self::Broken
            | Self::LeftOut
            | Self::Hollow
            | Self::Flaky
            | Self::Vacuous
            | Self::Unproven
            | Self::Weakened(_) => false,
        }
    }
}
