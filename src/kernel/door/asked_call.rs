//! A call that somebody was asked about, for what is written down of it later.

use super::call::Call;
use tgp_policy::Verdict;

/// Who has to say a word.
#[derive(Debug, Clone)]
pub enum AskedOf {
    /// The function of the application that decides in the place of rules.
    Hook,
    /// Whoever approves.
    Approver(Verdict),
}

/// A call as events name it.
#[derive(Debug, Clone)]
pub struct AskedCall {
    pub call: String,
    pub parent: Option<String>,
    pub tool: String,
    pub path: Option<String>,
    pub session: Option<String>,
    pub agent: String,
    pub id: String,
    pub of: AskedOf,
}

impl AskedCall {
    pub(super) fn new(call: &Call<'_>, name: String, parent: Option<String>, of: AskedOf) -> Self {
        let actor = call.actor();
        Self {
            call: name,
            parent,
            tool: call.tool.to_string(),
            path: call.path.as_deref().map(str::to_owned),
            session: call.asker.session.clone(),
            agent: actor.agent.to_owned(),
            id: actor.id.to_owned(),
            of,
        }
    }
}
