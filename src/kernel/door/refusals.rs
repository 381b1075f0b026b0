//! What is said and written down of calls that are not let in, or not before somebody has said a word.

use super::approval_errors::{said_no, unanswered};
use super::asked_call::{AskedCall, AskedOf};
use super::call::Call;
use super::door::Door;
use super::gate::{Asking, Gate, Refusal};
use super::rules::PolicySource;
use serde::Deserialize;
use serde_json::{Value, json};
use std::time::Duration;
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{Actor, EventType, Importance, NewEvent, Part};
use tgp_policy::{Decision, PolicyError, Verdict};

/// What is left of the time for an approval when nobody is waited for any more.
const LAST_MOMENT: Duration = Duration::from_secs(1);

/// Longest text that somebody says about a call.
const MAX_CHARS: usize = 2000;

/// What somebody says about a call that waits.
#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "lowercase")]
pub enum Answered {
    Allow,
    Ask,
    Deny,
}

#[derive(Debug, Clone, Deserialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Word {
    verdict: Answered,
    /// Who says it.
    by: Option<String>,
    reason: Option<String>,
    rule: Option<String>,
}

impl Door {
    /// What the caller is told, after it was written down.
    pub(super) fn refuse(&self, call: &Call<'_>, refusal: Refusal) -> Error {
        self.begin_records();
        match refusal {
            Refusal::Denied(verdict) => {
                self.note_verdict(EventType::Denied, &self.asked(call, AskedOf::Hook), &verdict, &[]);
                PolicyError::Denied { tool: call.tool.to_string(), verdict: Box::new(verdict) }.into()
            }
            Refusal::Invalid(error) => {
                let body = [("code", Part::Text(error.code.as_str())), ("reason", Part::Text(&error.message))];
                self.note(EventType::Denied, &self.asked(call, AskedOf::Hook), &body);
                error
            }
            Refusal::Asks(asking) => self.ask(call, *asking),
        }
    }

    fn ask(&self, call: &Call<'_>, asking: Asking) -> Error {
        let about = self.asked(call, asking.who.clone());
        let id = match self.gate.approvals.ask(asking.subject, about.clone()) {
            Ok(id) => id,
            Err(error) => return error,
        };
        // Whoever asks gives up a little earlier, so that what it says then is still heard.
        let patience = self.gate.approvals.patience();
        let waits = patience.saturating_sub(LAST_MOMENT.min(patience / 10));
        let waits_ms = u64::try_from(waits.as_millis()).unwrap_or(u64::MAX);
        let also: Vec<Value> = asking
            .reached
            .iter()
            .map(|reach| json!({ "effect": reach.effect.as_str(), "paths": reach.paths }))
            .collect();
        let mut request = json!({
            "id": id,
            "tool": call.tool,
            "effect": call.effect.as_str(),
            "path": call.path,
            "args": asking.args.as_deref(),
            // What is too long to be taken apart is not shown, and the approver must know that.
            "hiddenBytes": (asking.args.is_none() && !call.args.is_empty()).then_some(call.args.len()),
            "text": asking.text.as_deref(),
            "call": about.call,
            "parent": about.parent,
            "session": about.session,
            "agent": call.asker.principal(),
            "also": (!also.is_empty()).then_some(also),
            "always": asking.always,
            "waitsMs": waits_ms,
            "rules": self.gate.rules.approved_version(),
        });
        match asking.who {
            AskedOf::Hook => {
                let text = format!("{} waits for the policy of the application.", call.tool);
                Error::new(ErrorCode::Approval, text).with("request", request)
            }
            AskedOf::Approver(verdict) => {
                self.note_verdict(
                    EventType::Approval,
                    &about,
                    &verdict,
                    &[("state", Part::Text("asked")), ("approval", Part::Text(&id))],
                );
                if let (Value::Object(request), details) = (&mut request, verdict.details()) {
                    request.extend(details);
                }
                let mut error = unanswered(&call.tool, &verdict);
                error.details.insert("request".to_owned(), request);
                error
            }
        }
    }

    /// Takes somebody's word about a call that waits. Nothing when it may be made now; the verdict when somebody else must be
    /// asked.
    ///
    /// # Errors
    /// `Denied` and `Approval` for a word that is no; `Approval` for one that comes too late.
    pub fn settle(&self, id: &str, word: Word) -> Result<Option<Verdict>, Error> {
        let about = self.gate.approvals.waiting(id)?;
        let Word { verdict, by, reason, rule } = word;
        let (by, reason, rule) = (by.map(bounded), reason.map(bounded), rule.map(bounded));
        let by = by.as_deref().unwrap_or("application");
        let named = |decision| Verdict {
            verdict: decision,
            rule: rule.as_deref().unwrap_or("policy").into(),
            at: "policy function".into(),
            reason: reason.as_deref().unwrap_or("The policy of the application says so.").into(),
            nearest: None,
        };
        match (verdict, &about.of) {
            (Answered::Allow, AskedOf::Hook) => self.gate.approvals.grant(id)?,
            (Answered::Allow, AskedOf::Approver(_)) => {
                self.gate.approvals.grant(id)?;
                self.note_word(&about, id, "granted", by, reason.as_deref());
            }
            (Answered::Ask, AskedOf::Hook) => {
                let verdict = named(Decision::Ask);
                self.gate.approvals.pass_on(id, AskedOf::Approver(verdict.clone()))?;
                let body = [("state", Part::Text("asked")), ("approval", Part::Text(id))];
                self.note_verdict(EventType::Approval, &about, &verdict, &body);
                return Ok(Some(verdict));
            }
            (Answered::Deny, AskedOf::Hook) => {
                self.gate.approvals.forget(id);
                let verdict = named(Decision::Deny);
                self.note_verdict(EventType::Denied, &about, &verdict, &[]);
                return Err(PolicyError::Denied { tool: about.tool, verdict: Box::new(verdict) }.into());
            }
            (Answered::Deny | Answered::Ask, AskedOf::Approver(asked)) => {
                self.gate.approvals.forget(id);
                self.note_word(&about, id, "refused", by, reason.as_deref());
                return Err(said_no(&about.tool, asked, by, reason.as_deref()));
            }
        }
        Ok(None)
    }

    /// Puts other rules in the place of those in force; see `Rules::replace`.
    ///
    /// # Errors
    /// `Config` for rules that cannot be meant; then nothing has changed.
    pub fn replace_policy(&self, source: &PolicySource, added_to: Option<&str>) -> Result<(), Error> {
        self.gate.rules.replace(source, added_to)?;
        self.begin_records();
        self.record_rules();
        Ok(())
    }

    /// From now on a token and all that were made from it do not count.
    ///
    /// # Errors
    /// `Validation` for what is no name of a token.
    pub fn revoke_token(&self, id: &str) -> Result<(), Error> {
        let id = self.gate.tokens.revoke(id)?.to_string();
        self.begin_records();
        let body = [("revoked", Part::Text(&id))];
        self.recorder.record(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Policy) });
        Ok(())
    }

    #[must_use]
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// Writes down which rules are in force.
    pub(super) fn record_rules(&self) {
        let version = self.gate.rules.version();
        let body = [("version", Part::Text(&version))];
        self.recorder.record(&NewEvent { body: &body, ..NewEvent::of_kernel(EventType::Policy) });
    }

    fn asked(&self, call: &Call<'_>, of: AskedOf) -> AskedCall {
        let (name, parent) = (self.name(call.number), call.parent.map(|number| self.name(number)));
        AskedCall::new(call, name, parent, of)
    }

    fn note_verdict(&self, kind: EventType, about: &AskedCall, verdict: &Verdict, more: &[(&str, Part<'_>)]) {
        let version = self.gate.rules.version();
        let mut body: Vec<(&str, Part<'_>)> = more.to_vec();
        body.extend([
            ("verdict", Part::Text(verdict.verdict.as_str())),
            ("rule", Part::Text(&verdict.rule)),
            ("at", Part::Text(&verdict.at)),
            ("reason", Part::Text(&verdict.reason)),
            ("policy", Part::Text(&version)),
        ]);
        self.note(kind, about, &body);
    }

    fn note_word(&self, about: &AskedCall, id: &str, state: &str, by: &str, reason: Option<&str>) {
        let mut body = vec![("state", Part::Text(state)), ("approval", Part::Text(id)), ("by", Part::Text(by))];
        body.extend(reason.map(|reason| ("reason", Part::Text(reason))));
        self.note(EventType::Approval, about, &body);
    }

    fn note(&self, kind: EventType, about: &AskedCall, body: &[(&str, Part<'_>)]) {
        self.recorder.record(&NewEvent {
            importance: Importance::Other,
            session: about.session.as_deref(),
            actor: Actor { agent: &about.agent, id: &about.id },
            call: Some(&about.call),
            parent: about.parent.as_deref(),
            tool: Some(&about.tool),
            path: about.path.as_deref(),
            body,
            ..NewEvent::of_kernel(kind)
        });
    }
}

fn bounded(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_CHARS) {
        text.truncate(end);
    }
    text
}
