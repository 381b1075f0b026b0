//! The tool registry for JavaScript.

use super::binding_kernel::BindingKernel;
use super::binding_outcome::BindingOutcome;
use crate::kernel::{Caller, OfferQuery};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;

#[napi]
impl BindingKernel {
    /// Value: `[{ path, name, description, parameters, tags, imports, kind, hash, uses }]`, sorted by path.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn list_tools<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel(env, |kernel| kernel.tools().list_tools())
    }

    /// Value: `{ version, usesVersion, isDifference, tools, removed, uses? }`: the changes of `listTools` since these
    /// versions. Synchronous, as the list of tools is in JavaScript.
    #[napi]
    pub fn list_tools_now(&self, since: Option<u32>, uses_since: Option<u32>) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| kernel.tools().list_changed(since, uses_since)))
    }

    /// Value: `{ version, tools }`, at most `limit` of `listTools` whose paths come after `after`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn list_tools_page<'env>(
        &self,
        env: &'env Env,
        after: Option<String>,
        limit: u32,
        bytes: u32,
    ) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.tools().list_page(after.as_deref(), limit, bytes))
    }

    /// Value: `{ version, rules, changes? }`, the paths of runnable tools; no `changes` if nothing changed since that
    /// version. `rules` is the version of the policy in force.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn list_tools_since<'env>(&self, env: &'env Env, since: Option<u32>) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.list_tools_since(since))
    }

    /// Value: `{ tools: [{ path, hash }], total? }`, the most useful first: changed after a version, offered already,
    /// run most often.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn offered_tools<'env>(
        &self,
        env: &'env Env,
        caller: String,
        after: u32,
        offered: Vec<String>,
        limit: u32,
        counted: bool,
    ) -> napi::Result<Object<'env>> {
        let query = OfferQuery { after, offered, limit: limit as usize, counted };
        self.with_kernel(env, move |kernel| kernel.offered_tools(&Caller::from_json(Some(&caller))?, &query))
    }

    /// Value: the tools at these paths, as `listTools` shows them.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn tools_at<'env>(&self, env: &'env Env, paths: Vec<String>) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.tools().tools_at(&paths))
    }

    /// Value: `{ tools, total }`. Synchronous, as the system prompt is. Files are rescanned if the last scan is old.
    #[napi]
    pub fn catalogue(&self, limit: u32, caller: Option<String>) -> BindingOutcome {
        BindingOutcome::from_result(self.kernel().and_then(|kernel| {
            let caller = Caller::from_json(caller.as_deref())?;
            kernel.catalogue(&caller, limit)
        }))
    }

    /// Rereads every tool.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn hydrate_registry<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_kernel(env, |kernel| kernel.tools().hydrate_registry())
    }

    /// Value: the tool, as `listTools` shows it.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn register_tool<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.with_kernel(env, move |kernel| kernel.tools().register_tool(&path))
    }
}
