//! The guardian for JavaScript.

use super::background::Lane;
use super::binding_kernel::BindingKernel;
use super::binding_ledger::{BindingCall, effect_of};
use crate::kernel::Caller;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use std::sync::Arc;

#[napi]
impl BindingKernel {
    /// Value: `{ ok, contradictions, violations, halts }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn guardian_check<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, |kernel| kernel.guardian().check())
    }

    /// Rejects for the first of `[{ cypher, params?, expectRows }, …]` that does not hold.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn guardian_assert<'env>(&self, env: &'env Env, assertions_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.guardian().assert_json(&assertions_json))
    }

    /// Value: `{ ok: true }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn guardian_reconcile<'env>(
        &self,
        env: &'env Env,
        file_path: String,
        diff_ref: String,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.guardian().reconcile(&file_path, &diff_ref))
    }

    /// Value: `{ type: 'approve', justification }` or `{ type: 'deny', reason }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn guardian_review<'env>(&self, env: &'env Env, plan_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| kernel.guardian().review(&plan_json))
    }

    /// Value: `{ findings }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn guardian_self_inquiry<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, |kernel| kernel.guardian().self_inquiry(kernel.tools()))
    }

    /// Value: whether a call would be allowed, by guardian, tests and policy, without making it.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn allowed<'env>(&self, env: &'env Env, call: BindingCall) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Searches, env, move |kernel| {
            let caller = Arc::new(Caller::from_json(Some(&call.caller))?);
            let effect = effect_of(&call.effect)?;
            kernel.allowed(&caller, &call.tool, effect, call.path.as_deref(), &call.args)
        })
    }
}
