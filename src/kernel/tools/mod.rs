//! The tools of a root: found, listed, counted and written down in `meta.json`.

mod meta_lag;
mod registry_state;
mod tool_entry;
mod tool_listing;
mod tool_registry;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod tools;
mod use_counter;

pub use meta_lag::MetaText;
pub use tool_listing::SimilarTool;
pub use tool_registry::RegistryFiles;
pub use tools::Tools;
