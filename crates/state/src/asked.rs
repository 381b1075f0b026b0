//! What somebody asks for, as far as tests are concerned.
//!
//! Trials and previews are not asked about: they change nothing. Neither are runs of tests.

use super::standing::Texts;
use super::subject::Subject;
use super::text_id::TextId;

#[derive(Debug, Clone, Copy)]
pub enum Asked<'a> {
    /// A file gets another text, by whichever way: written, patched, by a diff, reverted, by a run.
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
    /// Files that are neither tool nor test have no subject.
    Move {
        from: Option<&'a Subject>,
        /// Of the tool that `from` belongs to.
        now: Texts,
        to: Option<&'a Subject>,
        /// Of the tool that `to` belongs to.
        there: Texts,
        test: TestOfMoved,
    },
    /// A tool is to be run for real, from outside or by another tool.
    Run {
        tool: &'a str,
        now: Texts,
    },
    /// Code that is in no file is to be run for real.
    RunCode,
    /// Commits go to a branch that others use. Each tool whose text, or whose test's text, they change, with the texts
    /// that the branch has then.
    Persist {
        tools: &'a [(&'a str, Texts)],
    },
    /// What others have shared is fetched. It is never refused: whatever comes was not run here, and so is not green.
    Sync,
}

/// Whether there is anything in a text but white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content {
    Blank,
    Text,
}

/// What happens to the test of a tool that is moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOfMoved {
    /// It is moved in the same call.
    GoesAlong,
    Stays,
}
