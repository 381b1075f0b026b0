//! The one way in: whatever anybody asks the kernel to do is a [`Call`], and passes [`Door::enter`].

mod asker;
mod call;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod door;
mod masking;
mod open_ledger;
mod passage;
mod position;
mod present_call;
mod recorder;
mod shown_json;
mod trace;
mod witness;

pub use asker::Asker;
pub use call::{Call, Changes, Effect};
pub use door::{Door, canonical_path};
pub use masking::RedactHook;
pub use open_ledger::{LedgerParts, open_ledger};
pub use passage::Passage;
pub use position::Position;
pub use present_call::on_behalf;
#[cfg(test)]
pub use recorder::Records;
pub use trace::{Phase, Trace, TraceReport, millis};
pub use witness::{TRAILER, Witness, position_in, with_trailer};
