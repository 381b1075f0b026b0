//! Rules as people ask about them: whether they can be meant, what they say of a call, and what others would have said.

use super::door::{Asker, Door, InForce, PolicySource, Word, policy_of, recorded_call};
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::error::{Error, ErrorCode};
use tgp_ledger::{EventType, MAX_EVENTS, Query};
use tgp_policy::{Call, Policy, Replay, SqlVerb, Verdict, attenuate, replay};
use tgp_sql::Dialect;

pub struct PolicyBook {
    door: Arc<Door>,
    /// The rules that were asked last, which most often are those that are asked next.
    recent: Mutex<Option<(PolicySource, Arc<Policy>)>>,
}

/// Rules that can be meant.
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
    /// The name by which it is revoked.
    id: String,
}

impl PolicyBook {
    pub fn new(door: Arc<Door>) -> Self {
        Self { door, recent: Mutex::default() }
    }

    /// Takes somebody's word about a call that waits.
    ///
    /// # Errors
    /// As `Door::settle`.
    pub fn settle(&self, id: &str, word_json: &str) -> Result<Option<Verdict>, Error> {
        let word: Word = serde_json::from_str(word_json).map_err(|error| invalid("verdict", &error))?;
        self.door.settle(id, word)
    }

    /// Which tools are worth showing to an asker.
    ///
    /// # Errors
    /// `Denied` for a token that does not count.
    pub fn shown_tools(&self, asker: &Asker, tools_json: &str) -> Result<Vec<bool>, Error> {
        let tools: Vec<(String, Option<String>)> =
            serde_json::from_str(tools_json).map_err(|error| invalid("tools", &error))?;
        self.door.gate().shown_tools(asker, &tools)
    }

    /// Which tables are open to the SQL of a caller; see `Gate::open_tables`. `verbs` are words with blanks between them.
    ///
    /// # Errors
    /// `Denied` for a token that does not count.
    pub fn open_tables(
        &self,
        asker: &Asker,
        dialect: Dialect,
        tables_json: &str,
        verbs: Option<&str>,
    ) -> Result<Vec<bool>, Error> {
        let tables: Vec<(String, Option<String>)> =
            serde_json::from_str(tables_json).map_err(|error| invalid("tables", &error))?;
        let verbs = verbs.map(|verbs| verbs.split(' ').filter_map(SqlVerb::parse).collect());
        self.door.gate().open_tables(asker, &tables, dialect.default_schema(), verbs)
    }

    /// Puts other rules in the place of those in force; see `Rules::replace`.
    ///
    /// # Errors
    /// `Config` for rules that cannot be meant; then nothing has changed.
    pub fn replace(&self, source: &PolicySource, added_to: Option<&str>) -> Result<PolicyReport, Error> {
        self.check(source)?;
        self.door.replace_policy(source, added_to)?;
        self.check(source)
    }

    /// Whether rules can be meant.
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

    /// What rules, or those in force, say of a call, written as tests in a policy write it.
    ///
    /// # Errors
    /// `Config` for a call or rules that cannot be meant.
    pub fn explain(&self, source: Option<&PolicySource>, call_json: &str) -> Result<Verdict, Error> {
        let call: Value = serde_json::from_str(call_json).map_err(|error| invalid("call", &error))?;
        let policy = self.policy_or_in_force(source)?;
        Ok(policy.judge(&policy.read_call(&call)?))
    }

    /// What other rules would have said of the newest calls that were written down, beside what those in force say.
    ///
    /// # Errors
    /// `Config` for rules that cannot be meant, `Ledger` where nothing is written down.
    pub fn replay(&self, after: &PolicySource, limit: u32) -> Result<Replay, Error> {
        let (before, after) = (self.policy_or_in_force(None)?, self.policy(after)?);
        let ledger = self.door.ledger()?;
        // What cannot be stored now keeps nobody from reading the rest.
        let _later = ledger.flush();
        let limit = (limit as usize).min(MAX_EVENTS);
        let events = ledger.tail(&Query { kind: Some(EventType::Call), limit, ..Query::default() })?;
        let (tools, mode) = (self.door.gate().rules.tools(), self.door.gate().mode());
        let calls: Vec<Call> = events.iter().filter_map(|event| recorded_call(&event.content, tools, mode)).collect();
        Ok(replay(&before, &after, &calls))
    }

    /// A token that allows what its caveats cover, and nothing else.
    ///
    /// # Errors
    /// `Validation` for caveats that cannot be meant.
    pub fn issue(&self, caveats_json: &str) -> Result<IssuedToken, Error> {
        let caveats: Value = serde_json::from_str(caveats_json).map_err(|error| invalid("caveats", &error))?;
        let gate = self.door.gate();
        let (token, id) = gate.tokens.issue(&caveats, gate.rules.tools())?;
        Ok(IssuedToken { token, id: id.map(|id| id.to_string()).unwrap_or_default() })
    }

    /// From now on a token and all that were made from it do not count.
    ///
    /// # Errors
    /// `Validation` for what is no name of a token.
    pub fn revoke(&self, id: &str) -> Result<(), Error> {
        self.door.revoke_token(id)
    }

    /// Rules, or those in force: what a file says that was changed and is not good is not in force.
    fn policy_or_in_force(&self, source: Option<&PolicySource>) -> Result<Arc<Policy>, Error> {
        match (source, self.door.gate().rules.in_force()) {
            (Some(source), _) => self.policy(source),
            (None, InForce::Policy(policy)) => Ok(policy),
            (None, InForce::Nobody) => self.policy(&PolicySource::Allow),
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
            let text =
                "The policy is a function of the application, which only its own calls can ask. Name a policy file.";
            Error::new(ErrorCode::Config, text).with("key", "policy")
        })?;
        let policy = Arc::new(policy);
        *self.recent.lock() = Some((source.clone(), Arc::clone(&policy)));
        Ok(policy)
    }
}

/// A token that allows less. Nobody needs the key for that.
///
/// # Errors
/// `Validation` for caveats that cannot be meant, `Denied` for what is no token.
pub fn narrowed_token(token: &str, caveats_json: &str) -> Result<String, Error> {
    let caveats: Value = serde_json::from_str(caveats_json).map_err(|error| invalid("caveats", &error))?;
    Ok(attenuate(token, &caveats)?)
}

fn invalid(what: &str, error: &serde_json::Error) -> Error {
    Error::new(ErrorCode::Validation, format!("The {what} cannot be read: {error}.")).with("field", what)
}
