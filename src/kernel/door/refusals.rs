//! Refused and pending calls: their errors, their events, and the answers to approval requests.

use super::approvals::{ApprovalRequest, Decider, DeciderAnswer, no_approver, not_approved};
use super::door::Door;
use super::gate::Refusal;
use super::rules::PolicySource;
use serde_json::Value;
use tgp_base::call::{Call, CallContext};
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{BodyValue, EventType, Importance, NewEvent};
use tgp_policy::{Decision, PolicyError, Verdict};

impl Door {
    /// Records a refusal and returns the error for the caller.
    pub(super) fn refuse(&self, call: &Call<'_>, refusal: Refusal) -> Error {
        self.begin_records();
        match refusal {
            Refusal::Denied(verdict) => {
                self.record_verdict(EventType::Denied, &self.context(call), &verdict, &[]);
                PolicyError::Denied { tool: call.tool.to_string(), verdict: Box::new(verdict) }.into()
            }
            Refusal::Invalid(error) => {
                let body =
                    [("code", BodyValue::Text(error.code.as_str())), ("reason", BodyValue::Text(&error.message))];
                self.record_event(EventType::Denied, &self.context(call), &body);
                error
            }
            Refusal::NeedsApproval(asking) => self.ask(call, *asking),
        }
    }

    fn ask(&self, call: &Call<'_>, asking: ApprovalRequest) -> Error {
        let about = self.context(call);
        let id = match self.gate.approvals.ask(asking.subject.clone(), about.clone(), asking.who.clone()) {
            Ok(id) => id,
            Err(error) => return error,
        };
        let timeout = self.gate.approvals.timeout;
        let mut request = asking.sent(&id, call, &about, timeout, &self.gate.rules.approved_version());
        match asking.who {
            Decider::Hook => {
                let text = format!("{} waits for the policy function of the application.", call.tool);
                Error::new(ErrorCode::Approval, text).with("request", request)
            }
            Decider::Approver(verdict) => {
                self.record_verdict(
                    EventType::Approval,
                    &about,
                    &verdict,
                    &[("state", BodyValue::Text("asked")), ("approval", BodyValue::Text(&id))],
                );
                if let (Value::Object(request), details) = (&mut request, verdict.details()) {
                    request.extend(details);
                }
                let mut error = no_approver(&call.tool, &verdict);
                error.details.insert("request".to_owned(), request);
                error
            }
        }
    }

    /// Takes the answer to a pending request. None when the call may be made now; the verdict when the approver must be
    /// asked next.
    ///
    /// # Errors
    /// `Denied` and `Approval` for a refusal; `Approval` for an answer that is too late.
    pub fn answer_approval(&self, id: &str, answer: DeciderAnswer) -> Result<Option<Verdict>, Error> {
        let (about, decider) = self.gate.approvals.waiting(id)?;
        let DeciderAnswer { verdict, by, reason, rule } = answer.bounded();
        let by = by.as_deref().unwrap_or("application");
        let named = |decision| Verdict {
            decision,
            rule: rule.as_deref().unwrap_or("policy").into(),
            at: "policy function".into(),
            reason: reason.as_deref().unwrap_or("The policy function of the application decided this.").into(),
            nearest: None,
        };
        match (verdict, &decider) {
            (Decision::Allow, Decider::Hook) => self.gate.approvals.grant(id)?,
            (Decision::Allow, Decider::Approver(_)) => {
                self.gate.approvals.grant(id)?;
                self.record_answer(&about, id, "granted", by, reason.as_deref());
            }
            (Decision::Ask, Decider::Hook) => {
                let verdict = named(Decision::Ask);
                self.gate.approvals.pass_on(id, Decider::Approver(verdict.clone()))?;
                let body = [("state", BodyValue::Text("asked")), ("approval", BodyValue::Text(id))];
                self.record_verdict(EventType::Approval, &about, &verdict, &body);
                return Ok(Some(verdict));
            }
            (Decision::Deny, Decider::Hook) => {
                self.gate.approvals.forget(id);
                let verdict = named(Decision::Deny);
                self.record_verdict(EventType::Denied, &about, &verdict, &[]);
                return Err(PolicyError::Denied { tool: about.tool.into_owned(), verdict: Box::new(verdict) }.into());
            }
            (Decision::Deny | Decision::Ask, Decider::Approver(requested)) => {
                self.gate.approvals.forget(id);
                self.record_answer(&about, id, "refused", by, reason.as_deref());
                return Err(not_approved(&about.tool, requested, by, reason.as_deref()));
            }
        }
        Ok(None)
    }

    /// Replaces the rules in force; see `Rules::replace`.
    ///
    /// # Errors
    /// `Config` for invalid rules; then nothing has changed.
    pub fn replace_policy(&self, source: &PolicySource, added_to: Option<&str>) -> Result<(), Error> {
        self.gate.rules.replace(source, added_to)?;
        self.begin_records();
        self.record_rules();
        Ok(())
    }

    /// Revokes a token and all tokens derived from it.
    ///
    /// # Errors
    /// `Validation` for an invalid token id.
    pub fn revoke_token(&self, id: &str) -> Result<(), Error> {
        let id = self.gate.tokens.revoke(id)?.to_string();
        self.begin_records();
        let body = [("revoked", BodyValue::Text(&id))];
        self.recorder.record(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Policy) });
        Ok(())
    }

    /// Records which rules are in force.
    pub(super) fn record_rules(&self) {
        let version = self.gate.rules.version();
        let body = [("version", BodyValue::Text(&version))];
        self.recorder.record(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Policy) });
    }

    fn record_verdict(&self, kind: EventType, about: &CallContext, verdict: &Verdict, more: &[(&str, BodyValue<'_>)]) {
        let version = self.gate.rules.version();
        let mut body: Vec<(&str, BodyValue<'_>)> = more.to_vec();
        body.extend([
            ("verdict", BodyValue::Text(verdict.decision.as_str())),
            ("rule", BodyValue::Text(&verdict.rule)),
            ("at", BodyValue::Text(&verdict.at)),
            ("reason", BodyValue::Text(&verdict.reason)),
            ("policy", BodyValue::Text(&version)),
        ]);
        self.record_event(kind, about, &body);
    }

    fn record_answer(&self, about: &CallContext, id: &str, state: &str, by: &str, reason: Option<&str>) {
        let mut body =
            vec![("state", BodyValue::Text(state)), ("approval", BodyValue::Text(id)), ("by", BodyValue::Text(by))];
        body.extend(reason.map(|reason| ("reason", BodyValue::Text(reason))));
        self.record_event(EventType::Approval, about, &body);
    }

    fn record_event(&self, kind: EventType, about: &CallContext, body: &[(&str, BodyValue<'_>)]) {
        self.recorder.record(&NewEvent { importance: Importance::Other, ..NewEvent::of_call(kind, about, body) });
    }
}
