//! A request for an approval.

use super::approvals::{Decider, Subject};
use crate::kernel::door::reach::Reach;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tgp_base::call::{Call, CallContext};

/// How long before the expiry of an approval the front end stops waiting.
const WAIT_MARGIN: Duration = Duration::from_secs(1);

/// A call to be approved.
pub struct ApprovalRequest {
    pub subject: Subject,
    pub who: Decider,
    pub args: Option<Arc<Value>>,
    /// The rule that would allow it permanently.
    pub always: Option<Value>,
    /// A hash of the text that would run.
    pub text: Option<Arc<str>>,
    pub reached: Vec<Reach>,
}

impl ApprovalRequest {
    /// The request for the front end, which waits for `timeout`. `rules` is the version that the approval is bound to.
    pub fn json(&self, id: &str, call: &Call<'_>, about: &CallContext, timeout: Duration, rules: &str) -> Value {
        // The front end stops waiting a little earlier, so that its refusal still arrives in time.
        let waits = timeout.saturating_sub(WAIT_MARGIN.min(timeout / 10));
        let waits_ms = u64::try_from(waits.as_millis()).unwrap_or(u64::MAX);
        let also: Vec<Value> =
            self.reached.iter().map(|reach| json!({ "effect": reach.effect.as_str(), "paths": reach.paths })).collect();
        json!({
            "id": id,
            "tool": call.tool,
            "effect": call.effect.as_str(),
            "path": call.path,
            "args": self.args.as_deref(),
            // Arguments that are too large to parse are not shown, which the approver must know.
            "hiddenBytes": (self.args.is_none() && !call.args.is_empty()).then_some(call.args.len()),
            "text": self.text.as_deref(),
            "call": about.name,
            "parent": about.parent,
            "session": about.caller.session,
            "agent": call.caller.principal(),
            "also": (!also.is_empty()).then_some(also),
            "always": self.always,
            "waitsMs": waits_ms,
            "rules": rules,
        })
    }
}
