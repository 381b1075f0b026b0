//! State of one run: its realm, timers, exceptions; and the code cache of the worker.

mod code_cache;
mod code_coverage;
mod exception;
mod realm;
mod rejections;
mod run_state;
mod source_places;
mod timers;

pub use code_cache::CodeCache;
pub use code_coverage::CountedCode;
pub use exception::{BUFFER_REFUSED, thrown_end};
pub use realm::Realm;
pub use run_state::RunState;
pub use source_places::{CompiledPlace, SourcePlace};
