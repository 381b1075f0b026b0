//! What tools mean, beside the words that describe them: a model reads their texts in the background, and every search
//! hears how alike a request and each text are. Without a model, and until it has read them, tools are found by words.
//!
//! [`Memory::meanings`] is what a ranking is made from; `tool_texts.rs` decides what is read of a tool.

mod application_model;
mod followed_tools;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod memory;
mod memory_model;
mod memory_state;
mod recent_vectors;
mod shared_weights;
mod tool_texts;
mod vector_cache;

#[cfg(test)]
pub use application_model::EmbedReply;
pub use memory::{Memory, MemoryReport, ToolSource};
pub use memory_model::{MemoryModel, ModelSource};
pub use tool_texts::about;
pub use vector_cache::VectorCache;
