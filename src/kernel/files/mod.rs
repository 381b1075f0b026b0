//! The files of the root: reading, searching, and the write path of every change.

mod apply_diff;
mod bad_diff;
mod changes;
mod diff_text;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod files;
mod folder_rules;
#[cfg(test)]
mod fuzz_tests;
mod keeper;
mod line_regex;
mod line_search;
mod line_table;
mod open_root;
mod path_glob;
mod path_locks;
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
mod written_hashes;

pub use files::Files;
pub use folder_rules::check_folders;
pub use open_root::open_root;
pub use preview::FileChangeCall;
pub use root_files::RootFiles;
pub use search_files::SearchQuery;
pub use write_path::{WriteDeps, WritePath};
