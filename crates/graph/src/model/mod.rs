//! The graph of one repository as of one commit, in memory.

pub mod activity_layer;
pub mod activity_log;
mod adjacency;
pub mod commit_state;
pub mod graph;
pub mod graph_data;
pub mod history;
pub mod import_paths;
pub mod path_answers;
mod strings;
