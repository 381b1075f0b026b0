//! A call with a pending approval, for its later events.

use super::call::Call;
use tgp_policy::Verdict;

/// Who has to decide.
#[derive(Debug, Clone)]
pub enum Decider {
    /// The policy function of the application, which replaces rules.
    Hook,
    /// The approver.
    Approver(Verdict),
}

/// A call as events name it.
#[derive(Debug, Clone)]
pub struct PendingCall {
    pub call: String,
    pub parent: Option<String>,
    pub tool: String,
    pub path: Option<String>,
    pub session: Option<String>,
    pub agent: String,
    pub id: String,
    pub of: Decider,
}

impl PendingCall {
    pub(super) fn new(call: &Call<'_>, name: String, parent: Option<String>, of: Decider) -> Self {
        let actor = call.actor();
        Self {
            call: name,
            parent,
            tool: call.tool.to_string(),
            path: call.path.as_deref().map(str::to_owned),
            session: call.caller.session.clone(),
            agent: actor.agent.to_owned(),
            id: actor.id.to_owned(),
            of,
        }
    }
}
