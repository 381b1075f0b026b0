//! Read operations of a kernel for JavaScript, and the exchange with the remote. `caller` is a `Caller` as JSON.

use super::background::Lane;
use super::binding_kernel::{BindingKernel, parse_query};
use super::call_request::CallRequest;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::json;

#[napi]
impl BindingKernel {
    /// Value: sorted paths.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn list_files<'env>(
        &self,
        env: &'env Env,
        dir: String,
        glob: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let args = glob.as_ref().map_or_else(|| json!({ "dir": dir }), |glob| json!({ "dir": dir, "glob": glob }));
        let request = CallRequest::read("list_files", Some(&dir), args);
        self.run_call(env, Lane::Files, caller, request, move |kernel| kernel.files().list_files(&dir, glob.as_deref()))
    }

    /// Value: the text.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn read_file<'env>(&self, env: &'env Env, path: String, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::read_path("read_file", &path);
        self.run_call(env, Lane::Files, caller, request, move |kernel| kernel.files().read_file(&path))
    }

    /// Value: `{ changed, warnings }`. Pushes pending commits, then pulls.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn sync<'env>(&self, env: &'env Env, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::write("sync", None, json!({}));
        self.run_call(env, Lane::Remote, caller, request, |kernel| kernel.history().sync())
    }

    /// Value: `{ changed, warnings }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn hydrate<'env>(&self, env: &'env Env, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::write("hydrate", None, json!({}));
        self.run_call(env, Lane::Remote, caller, request, |kernel| kernel.history().hydrate())
    }

    /// Value: `[{ commit, message, author, time, why?, session?, model? }]`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn file_history<'env>(
        &self,
        env: &'env Env,
        path: Option<String>,
        limit: Option<u32>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::read("file_history", path.as_deref(), json!({ "path": path, "limit": limit }));
        self.run_call(env, Lane::Files, caller, request, move |kernel| {
            kernel.history().file_history(path.as_deref(), limit)
        })
    }

    /// Value: `{ matches: [{ path, line, column, text }], truncated, files }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn search_files<'env>(
        &self,
        env: &'env Env,
        query_json: String,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let query: serde_json::Value = serde_json::from_str(&query_json).unwrap_or_default();
        let request = CallRequest::read("search_files", None, query);
        self.run_call(env, Lane::Searches, caller, request, move |kernel| {
            kernel.files().search_files(&parse_query(&query_json)?)
        })
    }

    /// Value: `{ valid, errors, diagnostics, types: { files, packages, severity?, ignoredLines, refused? } }`. `leave` must follow
    /// once the types are checked, with the number of the call.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn check_tool<'env>(&self, env: &'env Env, path: String, caller: String) -> napi::Result<Object<'env>> {
        let request = CallRequest::read_path("check_tool", &path);
        self.run_open_call(env, Lane::Searches, caller, request, move |kernel| kernel.checks().check_tool(&path))
    }
}
