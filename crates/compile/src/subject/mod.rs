//! The source as the rules see it, and the questions that several of them ask.

pub(super) mod entry;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
pub(super) mod subject;
pub(super) mod texts;
pub(super) mod words;
