//! The test status of a tool.

use super::text_id::TextId;
use serde::Serialize;

/// The texts of a tool and of its test in one version: on disk, or in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Texts {
    /// `None` if the file does not exist.
    pub tool: Option<TextId>,
    pub test: Option<TextId>,
    /// One hash over all other files that a run of the tool loads. `None` if it was not computed: then they may have changed.
    pub imports: Option<TextId>,
}

/// The phase of a tool: no test → red → green → changed → green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    NoTest,
    Red,
    Green,
    Changed,
}

/// Which text has changed since the tool was green.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    Tool,
    Test,
    Imports,
}

/// Cases that were green and no longer run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// Some of their names; empty if only their number is known.
    pub names: Vec<String>,
    pub count: usize,
}

/// The phase of a tool, and the reason why it is not green.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TestStatus {
    NoTest,
    /// The current text of the test was never run.
    NotRun,
    /// The test fails with the current texts, or the tool is missing.
    Red,
    /// The current test was seen to fail, and was not run with the current tool.
    Untried,
    Green,
    Changed(Changed),
    /// The test has no cases.
    Empty,
    /// The test does not compile, or fails outside of its cases.
    Broken,
    /// Cases are skipped by `skip`, `only` or `todo`.
    LeftOut,
    /// Cases have no expectations.
    Hollow,
    /// The test passed and failed with the same texts.
    Flaky,
    /// The test passes without the tool.
    Vacuous,
    /// The test passes, and was never seen to fail.
    Unproven,
    Weakened(Missing),
}

impl TestStatus {
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

    /// The value of `details.reason`.
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

    /// Whether the tool may be changed: a test specifies it.
    #[must_use]
    pub const fn allows_write(&self) -> bool {
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
