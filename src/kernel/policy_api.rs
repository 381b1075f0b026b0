//! Policy operations for users: validate rules, explain a verdict, replay recorded calls, manage tokens.

use super::door::{DeciderAnswer, Door, InForce, PolicySource, Previews, policy_of, recorded_call, strictest_verdict};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::call::Caller;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::sql_verb::SqlVerb;
use tgp_ledger::{EventType, MAX_EVENTS, Query};
use tgp_policy::{CallFacts, Policy, Replay, Verdict, attenuate, replay};
use tgp_sql::Dialect;

pub struct PolicyApi {
    door: Arc<Door>,
    /// The last parsed rules, which are likely to be used next.
    recent: Mutex<Option<(PolicySource, Arc<Policy>)>>,
}

/// Validated rules.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct PolicyReport {
    version: String,
    rules: usize,
    /// The version of the rules in force, and the one that approvals are bound to.
    in_force: String,
    approved: String,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct IssuedToken {
    token: String,
    /// The id by which it is revoked.
    id: String,
}

impl PolicyApi {
    pub fn new(door: Arc<Door>) -> Self {
        Self { door, recent: Mutex::default() }
    }

    /// Takes the answer to a pending approval request.
    ///
    /// # Errors
    /// As `Door::answer_approval`.
    pub fn answer_approval(&self, id: &str, answer_json: &str) -> Result<Option<Verdict>, Error> {
        let answer: DeciderAnswer = serde_json::from_str(answer_json).map_err(|error| invalid("verdict", &error))?;
        self.door.answer_approval(id, answer)
    }

    /// Which tools are visible to a caller.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn shown_tools(&self, caller: &Caller, tools_json: &str) -> Result<Vec<bool>, Error> {
        let tools: Vec<(String, Option<String>)> =
            serde_json::from_str(tools_json).map_err(|error| invalid("tools", &error))?;
        self.door.gate().shown_tools(caller, &tools)
    }

    /// Which tables are open to the SQL of a caller; see `Gate::open_tables`. `verbs` are separated by blanks.
    ///
    /// # Errors
    /// `Denied` for an invalid token.
    pub fn open_tables(
        &self,
        caller: &Caller,
        dialect: Dialect,
        tables_json: &str,
        verbs: Option<&str>,
    ) -> Result<Vec<bool>, Error> {
        let tables: Vec<(String, Option<String>)> =
            serde_json::from_str(tables_json).map_err(|error| invalid("tables", &error))?;
        let verbs = verbs.map(|verbs| verbs.split(' ').filter_map(SqlVerb::parse).collect());
        self.door.gate().open_tables(caller, &tables, dialect.default_schema(), verbs)
    }

    /// Replaces the rules in force; see `Rules::replace`.
    ///
    /// # Errors
    /// `Config` for invalid rules; then nothing has changed.
    pub fn replace(&self, source: &PolicySource, added_to: Option<&str>) -> Result<PolicyReport, Error> {
        self.check(source)?;
        self.door.replace_policy(source, added_to)?;
        self.check(source)
    }

    /// Validates rules.
    ///
    /// # Errors
    /// `Config` with file and line.
    pub fn check(&self, source: &PolicySource) -> Result<PolicyReport, Error> {
        let policy = self.policy(source)?;
        let rules = &self.door.gate().rules;
        Ok(PolicyReport {
            version: policy.version().to_owned(),
            rules: policy.rule_count(),
            in_force: rules.version(),
            approved: rules.approved_version(),
        })
    }

    /// The verdict of rules, or of those in force, on a call in the notation of policy tests.
    ///
    /// # Errors
    /// `Config` for an invalid call or invalid rules.
    pub fn explain(&self, source: Option<&PolicySource>, call_json: &str) -> Result<Verdict, Error> {
        let call: Value = serde_json::from_str(call_json).map_err(|error| invalid("call", &error))?;
        let policy = self.policy_or_in_force(source)?;
        let call = policy.read_call(&call)?;
        let strictest = strictest_verdict(&InForce::Policy(Arc::clone(&policy)), None, &call, &[], Previews::Nothing);
        Ok(strictest.unwrap_or_else(|| policy.judge(&call)))
    }

    /// Compares the verdicts of other rules and of those in force on the newest recorded calls.
    ///
    /// # Errors
    /// `Config` for invalid rules, `Ledger` without a ledger.
    pub fn replay(&self, after: &PolicySource, limit: u32) -> Result<Replay, Error> {
        let (before, after) = (self.policy_or_in_force(None)?, self.policy(after)?);
        let ledger = self.door.ledger()?;
        // A failed flush does not prevent reading.
        let _later = ledger.flush();
        let limit = (limit as usize).min(MAX_EVENTS);
        let events = ledger.tail(&Query { kind: Some(EventType::Call), limit, ..Query::default() })?;
        let (tools, mode) = (self.door.gate().rules.tools(), self.door.gate().mode());
        let calls: Vec<CallFacts> =
            events.iter().filter_map(|event| recorded_call(&event.content, tools, mode)).collect();
        Ok(replay(&before, &after, &calls))
    }

    /// Issues a token that allows only what its caveats cover.
    ///
    /// # Errors
    /// `Validation` for invalid caveats.
    pub fn issue(&self, caveats_json: &str) -> Result<IssuedToken, Error> {
        let caveats: Value = serde_json::from_str(caveats_json).map_err(|error| invalid("caveats", &error))?;
        let gate = self.door.gate();
        let (token, id) = gate.tokens.issue(&caveats, gate.rules.tools())?;
        Ok(IssuedToken { token, id: id.map(|id| id.to_string()).unwrap_or_default() })
    }

    /// Revokes a token and all tokens derived from it.
    ///
    /// # Errors
    /// `Validation` for an invalid token id.
    pub fn revoke(&self, id: &str) -> Result<(), Error> {
        self.door.revoke_token(id)
    }

    /// These rules, or those in force. A policy file with an invalid change is not in force.
    fn policy_or_in_force(&self, source: Option<&PolicySource>) -> Result<Arc<Policy>, Error> {
        match (source, self.door.gate().rules.in_force()) {
            (Some(source), _) => self.policy(source),
            (None, InForce::Policy(policy)) => Ok(policy),
            (None, InForce::AllowAll) => self.policy(&PolicySource::Allow),
            (None, InForce::Hook) => self.policy(&PolicySource::Hook),
        }
    }

    fn policy(&self, source: &PolicySource) -> Result<Arc<Policy>, Error> {
        if let Some((known, policy)) = &*self.recent.lock()
            && known == source
        {
            return Ok(Arc::clone(policy));
        }
        let policy = policy_of(source, self.door.gate().rules.tools())?.ok_or_else(|| {
            let text = "The policy is a function of the application and cannot be evaluated here. Name a policy file.";
            Error::new(ErrorCode::Config, text).with("key", "policy")
        })?;
        let policy = Arc::new(policy);
        *self.recent.lock() = Some((source.clone(), Arc::clone(&policy)));
        Ok(policy)
    }
}

/// Narrows a token. Needs no key.
///
/// # Errors
/// `Validation` for invalid caveats, `Denied` for an invalid token.
pub fn narrowed_token(token: &str, caveats_json: &str) -> Result<String, Error> {
    let caveats: Value = serde_json::from_str(caveats_json).map_err(|error| invalid("caveats", &error))?;
    Ok(attenuate(token, &caveats)?)
}

fn invalid(what: &str, error: &serde_json::Error) -> Error {
    Error::new(ErrorCode::Validation, format!("The {what} is not valid: {error}.")).with("field", what)
}
