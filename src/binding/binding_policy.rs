//! Policy rules, approvals and capability tokens for JavaScript.

use super::background::Lane;
use super::binding_kernel::{BindingKernel, parse_policy};
use super::binding_ledger::{BindingCall, effect_of};
use super::binding_outcome::BindingOutcome;
use super::binding_sql_rules::dialect_of;
use crate::kernel::Caller;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use std::sync::Arc;

#[napi]
impl BindingKernel {
    /// Records the answer to a pending approval request: `{ verdict, by?, reason?, rule? }`. Value: null, or the
    /// verdict when the approver must be asked next.
    #[napi]
    pub fn answer_approval(&self, id: String, answer_json: String) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| kernel.policy().answer_approval(&id, &answer_json)))
    }

    /// Value: `{ verdict?, text, also, tests }`: the verdict on a call that is not made yet, a hash of the text that it
    /// would run or change, the files that it reaches, and the test files that it would run with their hashes. No
    /// verdict when a policy function of the application decides.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn judge<'env>(&self, env: &'env Env, call: BindingCall) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| {
            let caller = Arc::new(Caller::from_json(Some(&call.caller))?);
            let effect = effect_of(&call.effect)?;
            kernel.judged(&caller, &call.tool, effect, call.path.as_deref(), &call.args)
        })
    }

    /// Value: how closely the rules in force and the caller's token inspect SQL: `nothing`, `verbs` or `tables`.
    #[napi]
    pub fn sql_detail(&self, caller: String) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| {
            let caller = Caller::from_json(Some(&caller))?;
            kernel.door().gate().sql_detail(&caller)
        }))
    }

    /// Value: for each of `[[table, schema | null], …]` whether the caller's SQL may use it with these verbs (separated
    /// by blanks); without verbs, whether it may be read.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn open_tables<'env>(
        &self,
        env: &'env Env,
        caller: String,
        dialect: String,
        tables_json: String,
        verbs: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            let caller = Caller::from_json(Some(&caller))?;
            kernel.policy().open_tables(&caller, dialect_of(&dialect)?, &tables_json, verbs.as_deref())
        })
    }

    /// Value: for each of `[[tool, path | null], …]` whether the caller's token allows at least one call of it.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn shown_tools<'env>(&self, env: &'env Env, caller: String, tools_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            let caller = Caller::from_json(Some(&caller))?;
            kernel.policy().shown_tools(&caller, &tools_json)
        })
    }

    /// Value: `{ version, rules }`, which are in force from now on. Invalid rules change nothing. `added_to` is the
    /// version of the rules to which an approver has added one.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn replace_policy<'env>(
        &self,
        env: &'env Env,
        policy_json: String,
        added_to: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            kernel.policy().replace(&parse_policy(&policy_json)?, added_to.as_deref())
        })
    }

    /// Value: `{ version, rules }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn check_policy<'env>(&self, env: &'env Env, policy_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.policy().check(&parse_policy(&policy_json)?))
    }

    /// Value: `{ verdict, rule, at, reason, nearest? }`, by these rules, or by those in force if there are none.
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

    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn revoke_token<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.policy().revoke(&id))
    }
}
