//! Bounded reading of whole histories: commits with their changes and renames, files of a commit, and texts.

pub(super) mod changes;
mod commit_text;
pub(super) mod history_reader;
mod object_folder;
mod renames;
mod similarity;

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "git is the oracle")]
mod tests;
