//! File changes for JavaScript. `note_json` is the commit note `{ why?, session?, model? }`; `caller` is a `Caller`
//! as JSON.

use super::binding_kernel::BindingKernel;
use super::call_request::CallRequest;
use crate::kernel::{CommitNote, Kernel, WriteDone};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::Serialize;
use serde_json::json;

#[napi]
impl BindingKernel {
    /// Value: `{ path, persisted, commit?, findings?, pullRequest?, problem?, similar? }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn write_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        content: String,
        note_json: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("write_file", json!({ "path": path, "content": content }));
        self.with_note(env, note_json, caller, request, move |kernel, note, done| {
            kernel.files().write_file(&path, &content, note, done);
        })
    }

    /// Value: as for `writeFile`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn patch_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        search: String,
        replace: String,
        note_json: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let args = json!({ "path": path, "search": search, "replace": replace });
        let request = CallRequest::new("patch_file", args);
        self.with_note(env, note_json, caller, request, move |kernel, note, done| {
            kernel.files().patch_file(&path, &search, &replace, note, done);
        })
    }

    /// Value: as for `writeFile`, with `applied: [{ line, tolerated?, lineOffset? }]`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn apply_diff<'env>(
        &self,
        env: &'env Env,
        path: String,
        diff: String,
        note_json: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("apply_diff", json!({ "path": path, "diff": diff }));
        self.with_note(env, note_json, caller, request, move |kernel, note, done| {
            kernel.files().apply_diff(&path, &diff, note, done);
        })
    }

    /// Value: as for `writeFile`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn revert_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        commit: String,
        note_json: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("revert_file", json!({ "path": path, "commit": commit }));
        self.with_note(env, note_json, caller, request, move |kernel, note, done| {
            kernel.files().revert_file(&path, &commit, note, done);
        })
    }

    /// Value: as for `writeFile`, with `mentions?`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn delete_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        note_json: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("delete_file", json!({ "path": path }));
        self.with_note(env, note_json, caller, request, move |kernel, note, done| {
            kernel.files().delete_file(&path, note, done);
        })
    }

    /// Value: as for `writeFile`, with `relinked?` and `mentions?`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn move_file<'env>(
        &self,
        env: &'env Env,
        from: String,
        to: String,
        note_json: Option<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("move_file", json!({ "from": from, "to": to }));
        self.with_note(env, note_json, caller, request, move |kernel, note, done| {
            kernel.files().move_file(&from, &to, note, done);
        })
    }

    /// Value: `{ applied, written? }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn fix_tool<'env>(&self, env: &'env Env, path: String, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("fix_tool", json!({ "path": path }));
        self.run_write_call(env, caller, request, move |kernel, done| kernel.files().fix_tool(&path, done))
    }

    /// Value: as for `writeFile`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn persist<'env>(
        &self,
        env: &'env Env,
        message: String,
        files: Vec<String>,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let args = json!({ "message": message, "files": files });
        let request = CallRequest::new("commit", args).at(files.first());
        self.run_write_call(env, caller, request, move |kernel, done| kernel.persist(&message, &files, done))
    }

    /// Accepts the current test of a tool as its specification.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn accept_test<'env>(
        &self,
        env: &'env Env,
        path: String,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("accept_test", json!({ "path": path }));
        self.run_write_call(env, caller, request, move |kernel, done| done(kernel.accept_test(&path)))
    }

    /// Value: as for `writeFile`, for `meta.json`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn sync_registry<'env>(&self, env: &'env Env, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("sync_registry", json!({}));
        self.run_write_call(env, caller, request, |kernel, done| kernel.history().sync_registry(done))
    }

    fn with_note<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        note_json: Option<String>,
        caller: Option<String>,
        request: CallRequest,
        job: impl FnOnce(&Kernel, &CommitNote, WriteDone<T>) + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let request = request.with_note(note_json.clone());
        self.run_write_call(env, caller, request, move |kernel, done| {
            match CommitNote::from_json(note_json.as_deref()) {
                Ok(note) => job(kernel, &note, done),
                Err(error) => done(Err(error)),
            }
        })
    }
}
