//! Test first: which tools have a test that was seen to fail and now passes, and what may be done with them.
//!
//! The state is a fold over events that the kernel keeps in the ledger. It reads no file, keeps no clock and asks nobody:
//! texts are told by their hashes, and what a test has shown counts for exactly the texts that were run.

mod asked;
mod event;
mod exempt;
mod judge;
mod limits;
mod mode;
mod outcome;
mod record;
mod refusal;
mod snapshot;
mod standing;
mod state;
mod state_error;
mod step;
mod subject;
mod test_note;
#[cfg(test)]
mod tests;
mod text_id;

pub use asked::{Asked, Content, TestOfMoved};
pub use event::{Case, CaseEnd, Ending, Event, TestRun};
pub use exempt::{CODE_PATH, Exempt};
pub use judge::judge;
pub use mode::{By, Mode, Through, Who};
pub use refusal::Refusal;
pub use standing::{Changed, Missing, Phase, Standing, Texts};
pub use state::{Position, State};
pub use state_error::StateError;
pub use step::Step;
pub use subject::{Kind, Subject, is_test, test_of};
pub use text_id::TextId;
