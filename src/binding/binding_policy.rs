//! Rules, approvals and tokens as JavaScript reaches them.

use super::background::Lane;
use super::binding_kernel::{BindingKernel, parse_policy};
use super::binding_ledger::BindingCall;
use super::binding_outcome::BindingOutcome;
use crate::kernel::{Asker, Call, Changes, Effect, Verdict};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The code that `run_code` is asked to run.
#[derive(Deserialize)]
struct Code {
    code: String,
}

/// What `judge` tells.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS), ts(optional_fields))]
pub(super) struct Judged {
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    text: String,
}

#[napi]
impl BindingKernel {
    /// Takes somebody's word about a call that waits: `{ verdict, by?, reason?, rule? }`. Value: null, or the verdict when
    /// somebody else must be asked.
    #[napi]
    pub fn settle(&self, id: String, word_json: String) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| kernel.policy().settle(&id, &word_json)))
    }

    /// Value: `{ verdict?, text }`: what is said of a call that nobody makes yet, and a hash of the text that it would run or
    /// change. No verdict where a function of the application decides.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn judge<'env>(&self, env: &'env Env, call: BindingCall) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| {
            let asker = Asker::from_json(Some(&call.asker))?;
            let effect = Effect::parse(&call.effect).unwrap_or(Effect::App);
            let code: Option<Code> = (call.tool == "run_code").then(|| serde_json::from_str(&call.args).ok()).flatten();
            let text = match (code, effect, call.path.as_deref()) {
                (Some(Code { code }), ..) => kernel.runs().code_hash(code),
                (None, Effect::Run, path) if call.tool == "test_tool" => kernel.runs().tests_hash(path),
                (None, _, None) => String::new(),
                (None, Effect::Run, Some(path)) => kernel.runs().tool_hash(path),
                (None, _, Some(path)) => kernel.files().text_hash(path),
            };
            let known_text = || text.clone();
            let verdict = kernel.door().gate().verdict(&Call {
                number: 0,
                parent: None,
                tool: Cow::Owned(call.tool),
                effect,
                changes: Changes::Nothing,
                path: call.path.map(Cow::Owned),
                args: Cow::Owned(call.args),
                asker: &asker,
                asking_tool: None,
                trace: None,
                approval: None,
                text: Some(&known_text),
                also: None,
                state: None,
            })?;
            Ok(Judged { verdict, text })
        })
    }

    /// Value: for each of `[[tool, path | null], …]` whether the token of the asker allows some call of it.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn shown_tools<'env>(
        &self,
        env: &'env Env,
        asker: String,
        tools_json: String,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            let asker = Asker::from_json(Some(&asker))?;
            kernel.policy().shown_tools(&asker, &tools_json)
        })
    }

    /// Value: `{ version, rules }` of what is in force from now on. Rules that cannot be meant change nothing.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn replace_policy<'env>(&self, env: &'env Env, policy_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.policy().replace(&parse_policy(&policy_json)?))
    }

    /// Value: `{ version, rules }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn check_policy<'env>(&self, env: &'env Env, policy_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.policy().check(&parse_policy(&policy_json)?))
    }

    /// Value: `{ verdict, rule, at, reason, nearest? }`, of these rules, or of those in force where none are given.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn explain_policy<'env>(
        &self,
        env: &'env Env,
        policy_json: Option<String>,
        call_json: String,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            let policy = policy_json.as_deref().map(parse_policy).transpose()?;
            kernel.policy().explain(policy.as_ref(), &call_json)
        })
    }

    /// Value: `{ judged, stricter, milder, changes: [{ call, tool, before, after }] }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn replay_policy<'env>(&self, env: &'env Env, after_json: String, limit: u32) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            kernel.policy().replay(&parse_policy(&after_json)?, limit)
        })
    }

    /// Value: `{ token, id }`.
    #[napi]
    pub fn issue_token(&self, caveats_json: String) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| kernel.policy().issue(&caveats_json)))
    }

    #[napi]
    pub fn revoke_token(&self, id: String) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| kernel.policy().revoke(&id)))
    }
}
