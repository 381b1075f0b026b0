//! The tools that exist, so that none is forged twice.
//!
//! This part holds what is known about tools and finds them by words, and by meaning where it is told what is alike. It reads
//! no file and no source: the kernel tells it what the compiler saw.

mod aim;
mod change_log;
mod direction;
mod fusion;
mod meta_file;
mod misspelling;
mod opposites;
mod registry;
mod search;
mod search_index;
mod tool_meta;
mod use_counts;
mod words;

pub use fusion::{Meaning, SAME_JOB};
pub use meta_file::META_FILE;
pub use registry::{Changes, Found, Registry};
pub use tool_meta::{ContentHash, MAX_PARAMETERS_BYTES, ToolKind, ToolMeta};
pub use use_counts::UseCounts;
