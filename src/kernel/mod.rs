//! The only place that knows more than one part.

mod apply_diff;
mod background;
mod bytecode_files;
mod check_config;
mod check_gate;
mod check_tool;
mod config;
mod confinement;
mod diff_text;
mod edit_file;
mod exec_tool;
mod file_history;
mod find_tool;
mod folder_rules;
mod git_remote;
mod graph_cache;
mod guest_files;
mod host_functions;
mod import_target;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod kernel;
mod line_regex;
mod line_search;
mod line_table;
mod list_files;
mod module_graph;
mod nested_runs;
mod packages;
mod patch_file;
mod private_files;
mod publish;
mod pull_request_text;
mod question_args;
mod read_file;
mod registry_state;
mod root_files;
mod run_conclusion;
mod run_examples;
mod run_registry;
mod run_scope;
mod sandbox_host;
mod search_files;
mod stack_trace;
mod std_library;
mod text_edit;
mod tool_cache;
mod tool_entry;
mod tool_registry;
mod type_gate;
mod type_sources;
mod unified_diff;
mod workspace;
mod write_file;
mod write_rules;

pub use config::{Config, SqlOptions, limit_table};
pub use exec_tool::{ExecOptions, ExecRequest, ExecValue, when_executed};
pub use file_history::HistoryEntry;
pub use git_remote::ask_remote;
pub use host_functions::{Answer, HostFunctions, Verdict};
pub use kernel::{Kernel, engine_version};
pub use publish::{Incoming, PullRequestLink};
pub use root_files::RootFiles;
pub use search_files::SearchQuery;
pub use write_file::{Persisted, Written};

#[cfg(test)]
pub use packages::Bundled;
#[cfg(test)]
pub use type_gate::Reply as TypesReply;

pub use crate::git::Halt;
pub use crate::sandbox::WorkerFiles;
pub use crate::sql::{
    BeginMode, Database, DatabaseOptions, Dialect, Done, ParameterShape, QueryAnswer, QueryLimits, Session, SqlError,
    SqlPolicy, classify,
};
