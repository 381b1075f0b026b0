//! The worker process: its entry point, its command pipe and its confinement.

#[cfg_attr(target_os = "linux", path = "confinement_linux.rs")]
#[cfg_attr(not(target_os = "linux"), path = "confinement_other.rs")]
mod confinement;
#[cfg(unix)]
mod pipe_inbox;
mod probe;
#[cfg(target_os = "linux")]
mod system_calls;
mod worker_entry;

pub use confinement::raise_data_limit;
