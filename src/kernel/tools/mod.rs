//! The tool registry: search, listing, use counts and `meta.json`.

mod count_writer;
mod memory;
mod meta_lag;
mod registry_state;
mod reuse_counts;
mod run_arguments;
mod tool_choice;
mod tool_entry;
mod tool_listing;
mod tool_registry;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod tools;
mod use_counter;

#[cfg(test)]
pub use memory::EmbedReply;
pub use memory::{MemoryModel, MemoryReport, ModelSource};
pub use meta_lag::MetaText;
pub use reuse_counts::ReuseEvent;
pub use tool_choice::OfferQuery;
pub use tool_listing::{Catalogue, OfferedTools, SimilarTool, ToolsSince};
pub use tool_registry::RegistryFiles;
pub use tools::{Stats, Tools};
