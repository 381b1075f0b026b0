//! Test-first state: which tools have a test that was seen to fail and now passes, and which requests that allows.
//!
//! The state is a fold over events that the kernel records in the ledger. It uses no file, clock or callback. Texts are
//! identified by their hashes; the result of a test run applies only to the texts that were run.

mod event;
mod exempt_globs;
mod judge;
mod limits;
mod outcome;
mod refusal;
mod request;
mod request_source;
mod snapshot;
mod state_error;
mod step;
mod subject;
mod test_record;
mod test_state;
mod test_status;
#[cfg(test)]
mod tests;
mod text_id;
mod tool_record;

pub use event::{Case, CaseEnd, Ending, Event, TestRun};
pub use exempt_globs::{CODE_PATH, ExemptGlobs};
pub use judge::judge;
pub use refusal::Refusal;
pub use request::{Content, Request, TestOfMoved};
pub use request_source::{Author, Origin, RequestSource};
pub use state_error::StateError;
pub use step::Step;
pub use subject::{Kind, Subject, is_test, test_of};
pub use test_state::{Position, TestState};
pub use test_status::{Changed, Missing, Phase, TestStatus, Texts};
pub use text_id::TextId;
