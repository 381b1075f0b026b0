//! Limits of a run, enforced from outside the guest: by other threads, and by ending the process.

#[cfg(target_os = "linux")]
pub mod abort_signal;
mod activity_meter;
mod cpu_account;
mod engine_control;
pub mod fatal_error;
mod inbox;
mod process_exit;
mod thread_clock;
pub mod watchdog;

pub use engine_control::{Cause, EngineControl};
pub use inbox::Inbox;
pub use process_exit::{EXIT_FATAL, EXIT_USAGE, StuckPolicy, exit_now};
pub use thread_clock::ThreadClock;
