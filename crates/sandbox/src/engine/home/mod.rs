//! The worker process as an engine's home: its entry, its pipe, and the walls around it.

#[cfg_attr(target_os = "linux", path = "confinement_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "confinement_elsewhere.rs")]
mod confinement;
#[cfg(unix)]
mod pipe_inbox;
mod probe;
#[cfg(target_os = "linux")]
mod system_calls;
mod worker_entry;

pub use confinement::make_room;
