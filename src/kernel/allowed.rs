//! Whether a call would be allowed, by guardian, tests and policy together, without making it.

use super::door::{Guard, on_behalf};
use super::files::FileChangeCall;
use super::kernel::Kernel;
use super::runs::Runnable;
use serde::Serialize;
use serde_json::Value;
use std::sync::Arc;
use tgp_base::call::{Call, Caller};
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};
use tgp_policy::{Decision, Verdict};

/// The answer of `isToolAllowed`.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub struct Allowed {
    /// Whether the call would be made without an approval.
    allowed: bool,
    verdict: Decision,
    /// The code of the error that the call would fail with.
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nearest: Option<String>,
}

impl Allowed {
    fn refused(error: &Error) -> Self {
        Self {
            allowed: false,
            verdict: Decision::Deny,
            code: Some(error.code.as_str()),
            reason: Some(error.message.clone()),
            rule: None,
            at: None,
            nearest: None,
        }
    }

    fn by_policy(verdict: Verdict) -> Self {
        let Verdict { decision, rule, at, reason, nearest } = verdict;
        let code = match decision {
            Decision::Allow => None,
            Decision::Ask => Some(ErrorCode::Approval.as_str()),
            Decision::Deny => Some(ErrorCode::Denied.as_str()),
        };
        Self {
            allowed: decision == Decision::Allow,
            verdict: decision,
            code,
            reason: Some(reason.to_string()),
            rule: Some(rule.to_string()),
            at: Some(at.to_string()),
            nearest,
        }
    }
}

impl Kernel {
    /// Whether a call would be allowed.
    ///
    /// # Errors
    /// `Validation` for invalid arguments, `Config` when a policy function of the application decides.
    pub fn allowed(
        &self,
        caller: &Arc<Caller>,
        tool: &str,
        effect: Effect,
        path: Option<&str>,
        args_json: &str,
    ) -> Result<Allowed, Error> {
        if let Err(error) = self.guardian().admit(effect) {
            return Ok(Allowed::refused(&error));
        }
        let judged = match self.judged(caller, tool, effect, path, args_json) {
            Err(error) if error.code == ErrorCode::Denied => return Ok(Allowed::refused(&error)),
            judged => judged?,
        };
        let Some(verdict) = judged.into_verdict() else {
            let text = "The policy is a function of the application, which decides when the call is made.";
            return Err(Error::new(ErrorCode::Config, text).with("key", "policy"));
        };
        if verdict.decision != Decision::Deny
            && let Err(error) = self.tests_allow(caller, tool, effect, path, args_json)
        {
            return Ok(Allowed::refused(&error));
        }
        Ok(Allowed::by_policy(verdict))
    }

    /// Whether the test mode allows a call.
    fn tests_allow(
        &self,
        caller: &Arc<Caller>,
        tool: &str,
        effect: Effect,
        path: Option<&str>,
        args_json: &str,
    ) -> Result<(), Error> {
        let args: Value = serde_json::from_str(args_json).unwrap_or_default();
        if let Some(change) = FileChangeCall::of_call(tool, &args) {
            let call = Call::of(caller, tool.to_owned(), effect, args_json);
            return on_behalf(self.door().context(&call), || self.files().held_by_tests(&change));
        }
        match (tool, path) {
            ("exec_tool", Some(path)) => self.runs().tests_allow(&Runnable::Tool(path.to_owned()), caller),
            ("run_code", _) => self.runs().tests_allow(&Runnable::Code(String::new()), caller),
            _ => Ok(()),
        }
    }
}
