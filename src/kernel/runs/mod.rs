//! Runs of tools: start, host calls, limits and end.

mod confinement;
mod entered_run;
mod files;
mod host_calls;
mod open_runs;
mod outcome;
mod requests;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod runs;
mod sandbox_host;
mod scope;
mod start;
mod test_results;
mod test_run;
mod trial;

pub use confinement::threads_warning;
pub use files::guest_files::GuestFiles;
pub use outcome::exec_value::{ExecDone, ExecValue, when_executed};
pub use runs::{RunDeps, Runs};
pub use scope::exec_options::{ExecOptions, ExecRequest, Runnable};
#[cfg(test)]
pub use test_results::test_report::TestFileReport;
pub use trial::{Trial, TrialSource, run_owner};
