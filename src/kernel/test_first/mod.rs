//! Test-first mode: checks calls against the test state, and records events for it.

mod live_state;
mod sharing;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod test_first;
mod writers;

pub use test_first::{TestFirst, TestFirstDeps, text_id};
