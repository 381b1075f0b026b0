//! Semantic tool search for JavaScript.

use super::background::{Lane, Promised};
use super::binding_kernel::BindingKernel;
use super::binding_outcome::BindingOutcome;
use super::call_request::CallRequest;
use napi::Env;
use napi::bindgen_prelude::{Float32Array, Object};
use napi_derive::napi;
use serde_json::json;

#[napi]
impl BindingKernel {
    /// Value: `[{ path, name, description, score, parameters }]`, best first. `vector` is the query's embedding
    /// by the application's model.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn find_tool<'env>(
        &self,
        env: &'env Env,
        query: String,
        limit: Option<u32>,
        vector: Option<Float32Array>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let vector = vector.map(|numbers| numbers.to_vec());
        let request = CallRequest::new("find_tool", json!({ "query": query, "limit": limit }));
        self.run_call(env, Lane::Files, caller, request, move |kernel| {
            kernel.tools().find_tool(&query, limit, vector.as_deref())
        })
    }

    /// Value: `{ by, texts, waiting, problem? }`, once all tool texts are embedded or embedding has failed.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn read_texts<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        match self.kernel() {
            Err(error) => promised.settle::<()>(Err(error)),
            Ok(kernel) => kernel.tools().read_texts(Box::new(move |report| promised.settle(Ok(report)))),
        }
        Ok(promise)
    }

    /// Value: `{ by, texts, waiting, problem? }`.
    #[napi]
    pub fn memory_report(&self) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().map(|kernel| kernel.tools().memory_report()))
    }

    /// Value: `{ total, days, memory }`, counted on this machine.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn stats<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel(env, |kernel| Ok(kernel.tools().stats()))
    }
}
