//! The files of the root: reading and searching them, and the one path that every change of one takes.

mod apply_diff;
mod bad_diff;
mod changes;
mod diff_text;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod files;
mod folder_rules;
#[cfg(test)]
mod fuzz_tests;
mod keeping;
mod line_regex;
mod line_search;
mod line_table;
mod own_texts;
mod path_glob;
mod path_turns;
mod plan;
mod preview;
mod relocation;
mod root_files;
mod search_files;
mod tested_steps;
mod text_edit;
mod tolerance;
mod unified_diff;
mod write_path;
mod write_rules;

pub use files::Files;
pub use folder_rules::check_folders;
pub use preview::FileChangeCall;
pub use root_files::RootFiles;
pub use search_files::SearchQuery;
pub use write_path::{WriteParts, WritePath};
