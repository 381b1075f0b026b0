//! Requests that the test-first rules apply to.
//!
//! Trials, previews and runs of tests are not judged.

use super::subject::Subject;
use super::test_status::Texts;
use super::text_id::TextId;

#[derive(Debug, Clone, Copy)]
pub enum Request<'a> {
    /// The text of a file changes, by any call or by a run.
    Write {
        file: &'a Subject,
        now: Texts,
        text: TextId,
        content: Content,
    },
    Delete {
        file: &'a Subject,
        now: Texts,
    },
    /// Files that are neither tool nor test have no subject (`None`).
    Move {
        from: Option<&'a Subject>,
        /// Texts of the tool that `from` belongs to.
        now: Texts,
        to: Option<&'a Subject>,
        /// Texts of the tool that `to` belongs to.
        there: Texts,
        test: TestOfMoved,
    },
    /// Run a tool with effects, from outside or from another tool.
    Run {
        tool: &'a str,
        now: Texts,
    },
    /// Run code without a file, with effects.
    RunCode,
    /// Push commits to a shared branch. Holds each tool whose text or test they change, with the resulting texts of the branch.
    Persist {
        tools: &'a [(&'a str, Texts)],
    },
    /// Fetch shared commits. Never refused: fetched texts were not run here, so they are not green.
    Sync,
}

/// Whether a text has anything but white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Blank,
    Text,
}

/// Whether the test of a moved tool moves with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOfMoved {
    /// The test is moved in the same call.
    MovesToo,
    Stays,
}
