//! The engine: the only module that uses `v8`, with all hand-written `unsafe` except the launcher's.
//!
//! An engine receives [`Command`](super::message::Command) and sends [`Event`](super::message::Event). It works the same on a
//! thread of the host and in a worker process.

#![expect(unsafe_code, reason = "V8's callbacks, its allocator and thread clocks have no safe interface")]

mod control;
mod engine_loop;
mod event_loop;
mod isolate;
mod lazy;
mod memory;
mod natives;
mod run;
mod web_url;
mod worker_process;

pub use control::{EngineControl, Inbox, StuckPolicy};
pub use engine_loop::{ENGINE_STACK, run_engine};
pub use isolate::locale_data::load as load_locales;
pub use isolate::platform::engine_version;
pub use isolate::snapshot::load_from as load_snapshot;
pub use worker_process::raise_data_limit;
