//! A request for an approval.

use super::approvals::{Decider, Subject};
use crate::kernel::door::reached_files::ReachedFiles;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;
use tgp_base::call::{Call, CallContext};
use tgp_base::effect::Effect;

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
    pub reached: Vec<ReachedFiles>,
}

/// The request as the front end gets it. Once its rule is known, the members of the verdict are added.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase")]
pub struct SentRequest<'r> {
    id: &'r str,
    tool: &'r str,
    effect: Effect,
    path: Option<&'r str>,
    #[cfg_attr(test, ts(type = "any", optional))]
    args: Option<&'r Value>,
    /// Size of arguments that are too large to parse: they are not shown, which the approver must know.
    hidden_bytes: Option<usize>,
    text: Option<&'r str>,
    call: &'r str,
    parent: Option<&'r str>,
    session: Option<&'r str>,
    agent: &'r str,
    also: Option<&'r Vec<ReachedFiles>>,
    #[cfg_attr(test, ts(type = "any", optional))]
    always: Option<&'r Value>,
    waits_ms: u32,
    rules: &'r str,
}

impl ApprovalRequest {
    /// The request for the front end, which waits for `timeout`. `rules` is the version that the approval is bound to.
    pub fn sent(&self, id: &str, call: &Call<'_>, about: &CallContext, timeout: Duration, rules: &str) -> Value {
        // The front end stops waiting a little earlier, so that its refusal still arrives in time.
        let waits = timeout.saturating_sub(WAIT_MARGIN.min(timeout / 10));
        let request = SentRequest {
            id,
            tool: &call.tool,
            effect: call.effect,
            path: call.path.as_deref(),
            args: self.args.as_deref(),
            hidden_bytes: (self.args.is_none() && !call.args.is_empty()).then_some(call.args.len()),
            text: self.text.as_deref(),
            call: &about.name,
            parent: about.parent.as_deref(),
            session: about.caller.session.as_deref(),
            agent: call.caller.principal(),
            also: (!self.reached.is_empty()).then_some(&self.reached),
            always: self.always.as_ref(),
            waits_ms: u32::try_from(waits.as_millis()).unwrap_or(u32::MAX),
            rules,
        };
        let mut sent = serde_json::to_value(request).unwrap_or_default();
        if let Value::Object(members) = &mut sent {
            members.retain(|_, value| !value.is_null());
        }
        sent
    }
}
