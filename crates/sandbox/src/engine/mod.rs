//! V8 and nothing else: the only place that names `v8`, and all hand-written `unsafe` but the launcher's.
//!
//! An engine speaks [`Command`](super::message::Command) and [`Event`](super::message::Event). Whether it lives on a
//! thread of the host or in a worker process is not its business.

#![expect(unsafe_code, reason = "V8's callbacks, its allocator and thread clocks have no safe interface")]

mod control;
mod engine_loop;
mod event_loop;
mod home;
mod isolate;
mod late;
mod memory;
mod natives;
mod run;
mod web_url;

pub use control::{EngineControl, Inbox, StuckPolicy};
pub use engine_loop::{ENGINE_STACK, run_engine};
pub use home::make_room;
pub use isolate::locale_data::load as load_locales;
pub use isolate::platform::engine_version;
pub use isolate::snapshot::load_from as load_snapshot;
