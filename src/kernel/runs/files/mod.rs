//! The files of a run, their preview and their secrets.

pub mod guest_files;
pub mod run_preview;
pub mod secret_args;
