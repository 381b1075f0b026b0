//! The registry of tools, with search by words and meaning, so that no tool is written twice.
//!
//! It reads no files and no sources: the kernel passes the compiler's description of each tool, and the similarity of meaning
//! where a model has computed it.

mod antonyms;
mod change_log;
mod direction;
mod fusion;
mod intent;
mod meta_file;
mod misspelling;
mod registry;
mod request_values;
mod search;
mod search_index;
mod tokenizer;
mod tool_meta;
mod use_counts;

pub use fusion::{Meaning, SAME_JOB};
pub use meta_file::META_FILE;
pub use registry::{Changes, Registry, ToolMatch};
pub use request_values::job_of;
pub use tool_meta::{ContentHash, MAX_PARAMETERS_BYTES, ToolKind, ToolMeta};
pub use use_counts::UseCounts;
