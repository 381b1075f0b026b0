//! Semantic search: a model embeds tool texts in the background, and searches rank tools by similarity to the query.
//! Without a model, and for pending texts, search is lexical.
//!
//! [`Memory::meanings`] returns the similarities for ranking; `tool_texts.rs` decides which texts of a tool are
//! embedded.

mod application_model;
mod followed_tools;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod memory;
mod memory_model;
mod memory_state;
mod tool_texts;
mod vector_cache;

#[cfg(test)]
pub use application_model::EmbedReply;
pub use memory::{Memory, MemoryReport, ToolSource};
pub use memory_model::{MemoryModel, ModelSource};
pub use tool_texts::about;
pub use vector_cache::VectorCache;
