//! Limits of a run, enforced from outside the guest: by other threads, and by ending the process.

#[cfg(target_os = "linux")]
pub mod abort_signal;
mod activity_meter;
mod cause;
mod cpu_account;
mod engine_control;
pub mod fatal_error;
mod inbox;
mod process_exit;
mod thread_clock;
pub mod watchdog;

pub use cause::Cause;
pub use cpu_account::Work;
pub use engine_control::EngineControl;
pub use inbox::Inbox;
pub use process_exit::{StuckPolicy, exit_now};
pub use thread_clock::ThreadClock;
