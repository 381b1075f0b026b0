//! Runs of tools: start, host calls, limits and end.

mod admission;
mod approval;
mod confinement;
mod entered_run;
mod exec_options;
mod exec_value;
mod guest_call;
mod guest_files;
mod guest_reply;
mod imported;
mod nested_outcome;
mod nested_runs;
mod nested_start;
mod open_runs;
mod parse_budget;
mod previewed_run;
mod question_args;
mod run_conclusion;
mod run_preview;
mod run_scope;
mod run_stages;
mod run_text;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod runs;
mod sandbox_host;
mod secret_args;
mod side_effects;
mod stack_trace;
mod submit;
mod test_outcome;
mod test_record;
mod test_report;
mod test_run;
mod test_scope;
mod trial;

pub use confinement::threads_warning;
pub use exec_options::{ExecOptions, ExecRequest, Runnable};
pub use exec_value::{ExecDone, ExecValue, when_executed};
pub use guest_files::GuestFiles;
pub use runs::{RunParts, Runs};
#[cfg(test)]
pub use test_report::TestFileReport;
pub use trial::{Trial, TrialSource, run_owner};
