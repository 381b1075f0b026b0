//! V8 and nothing else: the only place that names `v8` and the only hand-written `unsafe`.
//!
//! An engine speaks [`Command`](super::message::Command) and [`Event`](super::message::Event). Whether it lives on a
//! thread of the host or in a worker process is not its business.

#![expect(unsafe_code, reason = "V8's callbacks, its allocator and thread clocks have no safe interface")]

mod array_buffer;
mod booking;
mod code_cache;
mod compile_job;
#[cfg_attr(target_os = "linux", path = "confinement_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "confinement_elsewhere.rs")]
mod confinement;
mod engine_control;
mod engine_loop;
mod event_loop;
mod exception;
mod guest_stack;
mod host_call;
mod inbox;
mod isolate;
mod memory_budget;
mod module_loader;
mod native;
mod native_bytes;
mod native_text;
mod native_url;
#[cfg(unix)]
mod pipe_inbox;
mod platform;
mod prepared_stack;
mod probe;
mod realm;
mod rejections;
mod run_state;
mod snapshot;
#[cfg(target_os = "linux")]
mod system_calls;
mod thread_clock;
mod timers;
mod watchdog;
mod weight;
mod worker_entry;

pub use confinement::make_room;
pub use engine_control::EngineControl;
pub use engine_loop::run_engine;
pub use inbox::Inbox;
pub use platform::engine_version;
pub use snapshot::load_from as load_snapshot;
pub use watchdog::StuckPolicy;
