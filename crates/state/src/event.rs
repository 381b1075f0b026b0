//! Events that the state is folded from. The kernel records them in the ledger.
//!
//! Events about tests name the tool under test ([`Subject::of`](super::Subject::of)).

use super::request_source::Author;
use super::text_id::TextId;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "what", rename_all = "snake_case")]
pub enum Event {
    ToolWritten {
        tool: String,
        text: TextId,
    },
    ToolRemoved {
        tool: String,
    },
    /// `text` is the tool's text at its new path.
    ToolMoved {
        from: String,
        to: String,
        text: TextId,
    },
    TestWritten {
        tool: String,
        text: TextId,
        by: Author,
    },
    TestRemoved {
        tool: String,
    },
    /// A test was moved to another tool. `was` is its text before its imports were updated.
    TestMoved {
        from: String,
        to: String,
        was: TextId,
        text: TextId,
    },
    /// The kernel updated the imports of a test after a file was moved, and changed nothing else.
    TestRelinked {
        tool: String,
        was: TextId,
        text: TextId,
    },
    TestRan(TestRun),
    /// A person accepted the current test: cases that were removed are no longer required.
    TestAccepted {
        tool: String,
    },
}

/// A finished run of a test, with exactly the texts that were compiled for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    pub tool: String,
    /// `None` if the run did not load the tool: it does not exist, was hidden from the run, or is not used by the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_text: Option<TextId>,
    pub test_text: TextId,
    /// One hash over all other files that the run loaded; `None` if it was not computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<TextId>,
    pub ending: Ending,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum Ending {
    /// The file was loaded. Lists all its cases, including skipped ones.
    Ran { cases: Vec<Case> },
    /// The test could not be loaded, only because the tool does not exist or was hidden.
    ToolMissing,
    /// The test does not compile, fails outside of its cases, or exceeded a limit as a whole.
    Broken,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// Includes the names of the enclosing `describe` blocks.
    pub name: String,
    pub end: CaseEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    Passed,
    Failed,
    /// It passed without any expectation.
    Hollow,
    /// It did not run: `skip`, `todo`, or another case has `only`.
    LeftOut,
}
