//! Visibility of tools in lists: one decision for prompts, live tools, `kernel.tools()` and MCP.

use super::call_facts::set_caller;
use super::gate::Gate;
use super::rules::InForce;
use super::strictest_verdict::now_ms;
use std::sync::Arc;
use tgp_base::call::{Caller, CallerKind};
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_policy::{CallFacts, Capability, Fact, Policy};

/// The tools that a caller sees in lists.
pub struct ToolView<'g> {
    gate: &'g Gate,
    caller: &'g Caller,
    capability: Option<Capability>,
    /// Rules that can deny. A policy function of the application is not called for lists.
    policy: Option<Arc<Policy>>,
    now_ms: u64,
}

impl Gate {
    /// For each tool and its path, whether the caller sees it.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn shown_tools(&self, caller: &Caller, tools: &[(String, Option<String>)]) -> Result<Vec<bool>, Error> {
        let view = self.checked_tool_view(caller)?;
        Ok(tools.iter().map(|(tool, path)| view.shows(tool, path.as_deref())).collect())
    }

    /// The view of a caller; checks whether its token was revoked.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn checked_tool_view<'g>(&'g self, caller: &'g Caller) -> Result<ToolView<'g>, Error> {
        let capability = caller.token.as_deref().map(|token| self.tokens.verify(token)).transpose()?;
        Ok(self.view_with(caller, capability))
    }

    /// The view of a caller on Node's thread; leaves the revocation check to the door.
    ///
    /// # Errors
    /// `Denied` for a token that is not of this kernel.
    pub fn tool_view<'g>(&'g self, caller: &'g Caller) -> Result<ToolView<'g>, Error> {
        let capability = caller.token.as_deref().map(|token| self.tokens.read(token)).transpose()?;
        Ok(self.view_with(caller, capability))
    }

    fn view_with<'g>(&'g self, caller: &'g Caller, capability: Option<Capability>) -> ToolView<'g> {
        let policy = match self.rules.in_force() {
            InForce::Policy(policy) if policy.may_deny() => Some(policy),
            InForce::Policy(_) | InForce::AllowAll | InForce::Hook => None,
        };
        ToolView { gate: self, caller, capability, policy, now_ms: now_ms() }
    }
}

impl ToolView<'_> {
    /// Whether all tools are visible.
    pub const fn shows_all(&self) -> bool {
        self.capability.is_none() && self.policy.is_none()
    }

    /// Whether the token allows some call of the tool and, for a forged one, whether the rules allow running or reading
    /// it.
    pub fn shows(&self, tool: &str, path: Option<&str>) -> bool {
        let covers =
            |capability: &Capability| capability.may_allow(&self.call(tool, path, Some(capability)), self.now_ms);
        if self.capability.as_ref().is_some_and(|capability| !covers(capability)) {
            return false;
        }
        let (Some(policy), Some(_)) = (&self.policy, path) else { return true };
        let denied = |tool: &str| policy.always_denies(&self.call(tool, path, self.capability.as_ref()));
        !(denied(tool) && denied("read_file"))
    }

    fn call(&self, tool: &str, path: Option<&str>, capability: Option<&Capability>) -> CallFacts {
        let mut call = self.gate.rules.tools().some_call(tool);
        if call.effects.has(Effect::Run) {
            call.text = Fact::Unknown;
            // Code without a file also has a path.
            call.paths = Fact::Unknown;
        }
        if let Some(path) = path {
            call.paths = Fact::Known(vec![path.to_owned()]);
        }
        let token_id = capability.and_then(Capability::id).map(|id| id.to_string());
        set_caller(&mut call, self.caller, token_id, self.gate.mode());
        // Calls of the listed tools may be made by any agent, in any session, with a token.
        if self.caller.session.is_none() {
            call.session = Fact::Unknown;
        }
        if self.caller.token.is_none() {
            call.token = Fact::Unknown;
        }
        call.is_any_principal = self.caller.kind == CallerKind::Agent && self.caller.id.is_none();
        call
    }
}
