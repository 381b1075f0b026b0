//! A call: a request to the kernel, with its caller. Used by the gate, the ledger and runs.

#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod call;
mod call_context;
mod caller;
mod caller_kind;
mod visibility;

pub use call::{Call, Changes};
pub use call_context::CallContext;
pub use caller::Caller;
pub use caller_kind::CallerKind;
pub use visibility::{SharedVisibility, Visibility};
