//! What happened, as far as tests are concerned. The kernel makes these of what it did, and keeps them in the ledger.
//!
//! Events of tests name the tool that the test is for ([`Subject::of`](super::Subject::of)).

use super::mode::By;
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
    /// `text` is what it is at its new place.
    ToolMoved {
        from: String,
        to: String,
        text: TextId,
    },
    TestWritten {
        tool: String,
        text: TextId,
        by: By,
    },
    TestRemoved {
        tool: String,
    },
    /// The test of one tool has become that of another. `was` is its text before imports followed the move.
    TestMoved {
        from: String,
        to: String,
        was: TextId,
        text: TextId,
    },
    /// The kernel itself made the imports of a test follow a file that was moved, and changed nothing else.
    TestRelinked {
        tool: String,
        was: TextId,
        text: TextId,
    },
    TestRan(TestRun),
    /// A person takes the test as it is now for what is meant: cases that are gone are owed no more.
    TestAccepted {
        tool: String,
    },
}

/// One run of a test that has ended, with exactly the texts that were compiled for it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestRun {
    pub tool: String,
    /// Nothing if the run did not load the tool: it does not exist, was hidden from the run, or is not used by the test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_text: Option<TextId>,
    pub test_text: TextId,
    /// One hash over all other files that the run loaded. Nothing if nobody took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub imports: Option<TextId>,
    pub ending: Ending,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ended", rename_all = "snake_case")]
pub enum Ending {
    /// The file was loaded. All its cases, also those that were left out.
    Ran { cases: Vec<Case> },
    /// It could not be loaded because the tool, and nothing else, does not exist or was hidden.
    ToolMissing,
    /// It does not compile, fails outside of its cases, or was ended by a limit as a whole.
    Broken,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Case {
    /// With the names of what it is described by.
    pub name: String,
    pub end: CaseEnd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CaseEnd {
    Passed,
    Failed,
    /// It passed without having expected anything.
    Hollow,
    /// It did not run: `skip`, `todo`, or another case has `only`.
    LeftOut,
}
