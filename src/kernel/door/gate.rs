//! Authorisation of calls: policy rules, capability tokens and approvals.

use super::approvals::{ApprovalRequest, Approvals, Decider, Subject, permanent_rule};
use super::call_details::CallDetails;
use super::call_facts::call_facts;
use super::reached_files::{Need, ReachedFiles};
use super::rules::{InForce, PolicySource, Rules};
use super::strictest_verdict::{Previews, now_ms, strictest_verdict};
use super::tokens::Tokens;
use crate::kernel::secret_scan::SecretScan;
use std::sync::Arc;
use tgp_base::call::{Call, Caller};
use tgp_base::effect::Effect;
use tgp_base::error::Error;
use tgp_base::mode::Mode;
use tgp_policy::{CallFacts, Capability, Decision, Fact, Policy, Tools, Verdict};
use tgp_vfs::JailPath;

/// Token budget to reserve for a call without a time limit: for file operations, and for all others.
const FILES_MS: u64 = 100;
const OTHERS_MS: u64 = 30_000;
/// Most files in a rule for one call.
const MAX_RULE_PATHS: usize = 50;

pub struct Gate {
    pub rules: Rules,
    pub tokens: Tokens,
    pub approvals: Approvals,
    /// The mode of agents that set none.
    pub(super) mode: Mode,
    /// Finds values that a rule must not contain in clear text.
    secrets: SecretScan,
}

/// An authorised call.
#[derive(Default)]
pub struct Admission {
    /// The token that it was made with.
    pub capability: Option<Capability>,
    /// The hash of the text that was approved, if any.
    pub approved_text: Option<Arc<str>>,
    /// The call as rules see it; none without rules.
    pub judged: Option<CallFacts>,
    /// The files that it reaches without naming them, as far as known.
    pub reached: Vec<String>,
    /// Milliseconds of the token's budget that are reserved for it, which is also its time limit.
    pub reserved_ms: Option<u64>,
}

/// A call that is refused, or needs an approval first.
pub enum Refusal {
    Denied(Verdict),
    NeedsApproval(Box<ApprovalRequest>),
    /// An invalid token or approval.
    Invalid(Error),
}

impl Gate {
    /// # Errors
    /// `Config` for invalid rules.
    pub fn new(
        source: &PolicySource,
        tools: Tools,
        tokens: Tokens,
        approvals: Approvals,
        mode: Mode,
        secrets: SecretScan,
    ) -> Result<Self, Error> {
        Ok(Self { rules: Rules::new(source, tools)?, tokens, approvals, mode, secrets })
    }

    /// The mode of agents that set none.
    #[must_use]
    pub const fn mode(&self) -> Mode {
        self.mode
    }

    /// The verdict of rules and token on a call that is not made yet; none when a policy function of the application
    /// decides.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn verdict(&self, call: &Call<'_>, details: CallDetails<'_>) -> Result<Option<Verdict>, Error> {
        let (judged, Admission { capability, .. }) = self.facts(call, details)?;
        let in_force = self.rules.in_force();
        if matches!(in_force, InForce::Hook) {
            return Ok(None);
        }
        let strictest =
            strictest_verdict(&in_force, capability.as_ref(), &judged, &reached(details), Previews::of(call));
        // Names the rule that allows the call: an explicit rule says more than the default.
        let by_rule = match &in_force {
            InForce::Policy(policy) if strictest.is_none() => Some(policy.judge(&judged)),
            InForce::Policy(_) | InForce::AllowAll | InForce::Hook => None,
        };
        let by_rule = by_rule.filter(|verdict| verdict.decision == Decision::Allow);
        Ok(Some(strictest.or(by_rule).unwrap_or_else(|| Policy::allow(self.rules.tools()).judge(&judged))))
    }

    /// Whether every call of this caller is allowed without a check.
    pub fn is_open_to(&self, caller: &Caller) -> bool {
        caller.token.is_none() && matches!(self.rules.in_force(), InForce::AllowAll)
    }

    /// Authorises or refuses a call.
    pub fn judge(&self, call: &Call<'_>, details: CallDetails<'_>) -> Result<Admission, Refusal> {
        if self.is_open_to(call.caller) {
            return Ok(Admission::default());
        }
        let in_force = self.rules.in_force();
        let (judged, known) = self.facts(call, details).map_err(Refusal::Invalid)?;
        let Admission { capability, approved_text: judged_text, .. } = known;
        let mut reached = reached(details);
        let verdict = strictest_verdict(&in_force, capability.as_ref(), &judged, &reached, Previews::of(call));
        reached.retain(|reach| reach.need != Need::Absent);
        let who = match (verdict, &in_force) {
            (Some(verdict), _) if verdict.decision == Decision::Deny => return Err(Refusal::Denied(verdict)),
            (Some(verdict), _) if verdict.decision == Decision::Ask => Some(Decider::Approver(verdict)),
            (Some(_) | None, InForce::Hook) => Some(Decider::Hook),
            (Some(_) | None, InForce::Policy(_) | InForce::AllowAll) => None,
        };
        // The judged text is the one that runs, with its imports.
        let paths = reached.iter().flat_map(|reach| reach.paths.iter().cloned()).collect();
        let approved_text = match who {
            Some(who) => {
                let text = judged_text.or_else(|| details.text.map(|text| Arc::from(text())));
                self.approved(call, judged.clone(), text, who, reached)?
            }
            None => judged_text,
        };
        let reserved_ms = match &capability {
            Some(capability) if call.calling_tool.is_none() && !self.is_part_of_parent(call, capability) => {
                self.tokens.begin(capability, most_ms(call), now_ms()).map_err(Refusal::Invalid)?
            }
            Some(_) | None => None,
        };
        Ok(Admission { capability, approved_text, judged: Some(judged), reached: paths, reserved_ms })
    }

    /// Whether the call belongs to a run that was started with the same token, through a function of the application.
    fn is_part_of_parent(&self, call: &Call<'_>, capability: &Capability) -> bool {
        call.parent.is_some_and(|parent| self.tokens.holds_for(parent, capability))
    }

    /// The call as rules see it, and what is known of its admission: its token, and a hash of the text that it runs.
    fn facts(&self, call: &Call<'_>, details: CallDetails<'_>) -> Result<(CallFacts, Admission), Error> {
        let capability = call.caller.token.as_deref().map(|token| self.tokens.verify(token)).transpose()?;
        let token_id = capability.as_ref().and_then(Capability::id).map(|id| id.to_string());
        let mut judged = call_facts(call, self.rules.tools(), token_id, self.mode);
        let text: Option<Arc<str>> =
            (call.effect == Effect::Run).then(|| details.text.map(|text| Arc::from(text()))).flatten();
        // A text that does not compile has a marker instead of a hash.
        if let Some(text) = text.as_deref().filter(|text| is_hash(text)) {
            judged.text = Fact::Known(text.to_owned());
        }
        Ok((judged, Admission { capability, approved_text: text, ..Admission::default() }))
    }

    /// Consumes the approval for exactly this call, and returns the hash of the approved text. Without one, returns the
    /// request.
    fn approved(
        &self,
        call: &Call<'_>,
        judged: CallFacts,
        text: Option<Arc<str>>,
        who: Decider,
        reached: Vec<ReachedFiles>,
    ) -> Result<Option<Arc<str>>, Refusal> {
        let args = match &judged.args {
            Fact::Known(args) => args.to_string(),
            Fact::Nothing | Fact::Unknown => call.args.to_string(),
        };
        let reach = reach_text(&reached);
        let subject = Subject::of(&[
            &call.tool,
            call.effect.as_str(),
            call.path.as_deref().unwrap_or_default(),
            text.as_deref().unwrap_or_default(),
            &args,
            call.caller.session.as_deref().unwrap_or_default(),
            call.caller.principal(),
            call.calling_tool.map(|tool| &**tool).unwrap_or_default(),
            &reach,
            &self.rules.approved_version(),
        ]);
        let Some(id) = call.approval else {
            // A permanent rule helps only if the default asks: a rule that asks is stricter than one that allows.
            let by_default = matches!(&who, Decider::Approver(verdict) if &*verdict.rule == "default");
            let is_secret = |text: &str| self.secrets.is_in_words(text);
            let covered = by_default.then(|| with_imports(&judged, &reached)).flatten();
            let always = covered.and_then(|covered| permanent_rule(&covered, self.rules.tools(), &is_secret));
            let text = text.filter(|_| call.effect == Effect::Run);
            let args = match judged.args {
                Fact::Known(args) => Some(args),
                Fact::Nothing | Fact::Unknown => None,
            };
            return Err(Refusal::NeedsApproval(Box::new(ApprovalRequest {
                subject,
                who,
                args,
                always,
                text,
                reached,
            })));
        };
        self.approvals.take(id, &subject).map_err(Refusal::Invalid)?;
        Ok(text)
    }
}

/// The time limit of a call, or an estimate.
fn most_ms(call: &Call<'_>) -> u64 {
    let usual = || if matches!(call.effect, Effect::Read | Effect::Write) { FILES_MS } else { OTHERS_MS };
    call.wall.map_or_else(usual, |wall| u64::try_from(wall.as_millis()).unwrap_or(u64::MAX))
}

/// The call with the files that its text imports, for a rule that names all of them; none if it reaches other files.
fn with_imports(judged: &CallFacts, reached: &[ReachedFiles]) -> Option<CallFacts> {
    let mut covered = judged.clone();
    for reach in reached.iter().filter(|reach| reach.need == Need::Allowed) {
        // The hash of the text covers what it imports.
        let (Effect::Run, Fact::Known(_), Fact::Known(paths)) = (reach.effect, &judged.text, &mut covered.paths) else {
            return None;
        };
        paths.extend(reach.paths.iter().cloned());
        paths.sort_unstable();
        paths.dedup();
        if paths.len() > MAX_RULE_PATHS {
            return None;
        }
    }
    Some(covered)
}

fn is_hash(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// The files that a call reaches without naming them, in canonical spelling.
fn reached(details: CallDetails<'_>) -> Vec<ReachedFiles> {
    let mut reached = details.reached.map(|reached| reached()).unwrap_or_default();
    reached.retain(|reach| !reach.paths.is_empty());
    for path in reached.iter_mut().flat_map(|reach| &mut reach.paths) {
        if let Ok(parsed) = JailPath::parse(path) {
            parsed.as_str().clone_into(path);
        }
    }
    reached
}

/// The reach of a call as part of the approval's subject: reaching more files than shown needs another approval.
fn reach_text(reached: &[ReachedFiles]) -> String {
    let mut lines: Vec<String> = reached
        .iter()
        .flat_map(|reach| reach.paths.iter().map(|path| format!("{}\0{path}", reach.effect.as_str())))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines.join("\n")
}
