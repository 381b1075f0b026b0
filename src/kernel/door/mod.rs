//! The single entry point: every request to the kernel is a [`Call`](tgp_base::call::Call) that passes [`Door::enter`].

mod admitted_call;
mod approvals;
mod call_details;
mod call_facts;
mod caller_visibility;
#[expect(clippy::module_inception, reason = "the file is named for its main item")]
mod door;
mod gate;
mod kernel_tools;
mod known_tools;
mod masking;
mod open_ledger;
mod position;
mod present_call;
mod reached_files;
mod recorder;
mod refusals;
mod rules;
mod shown_json;
mod sql_changes;
mod sql_gate;
mod strictest_verdict;
mod tokens;
mod tool_view;
mod trace;
mod witness;

pub use admitted_call::AdmittedCall;
#[cfg(test)]
pub use approvals::SentRequest;
pub use approvals::{Approvals, DeciderAnswer, FULL_LIMIT, after_refusal, ask_approval};
pub use call_details::CallDetails;
pub use call_facts::recorded_call;
pub use door::{Door, Guard, canonical_path, full};
pub use gate::Gate;
pub use kernel_tools::{Quotes, Runs, kernel_tool, kernel_tools_json};
pub use known_tools::known_tools;
pub use masking::RedactHook;
pub use open_ledger::{LedgerDeps, open_ledger};
pub use position::Position;
pub use present_call::{on_behalf, present};
pub use reached_files::{Need, ReachedFiles};
#[cfg(test)]
pub use recorder::Records;
pub use rules::{InForce, PolicySource, policy_of};
pub use sql_changes::{named_changes, sql_changes};
pub use strictest_verdict::{Previews, strictest_verdict};
pub use tokens::Tokens;
pub use trace::{Phase, Trace, TraceReport, millis};
pub use witness::{TRAILER, Witness, has_trailer, with_trailer, witness_in};
