//! The V8 isolate and its realms: snapshot, bootstrap scripts, and the callbacks of V8.

mod bootstrap_scripts;
mod compile_job;
mod engine_report;
mod guest_isolate;
mod guest_stack;
pub mod locale_data;
pub mod platform;
mod prepared_stack;
mod promise_rejection;
mod script_text;
pub mod snapshot;
mod stack_frame;

pub use compile_job::{bytecode_of, engine_tag};
pub use guest_isolate::{GuestIsolate, Readiness};
pub use guest_stack::note_stack;
pub use snapshot::Snapshot;
