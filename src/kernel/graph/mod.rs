//! The graph: questions about tools, files, commits and runs, as of any commit.

#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod graph;
mod graph_question;
mod ledger_activity;
mod picture;
mod repository_source;

pub use graph::{Graph, GraphDeps, IngestReport};
pub use graph_question::{GraphAnswer, GraphQuestion};
