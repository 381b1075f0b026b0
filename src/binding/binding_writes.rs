//! The changes of files that JavaScript asks a kernel for. `note_json` is `{ why?, session?, model? }`, for the commit.

use super::binding_kernel::BindingKernel;
use crate::kernel::{CommitNote, Kernel, WriteDone};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::Serialize;

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
    ) -> napi::Result<Object<'env>> {
        self.with_note(env, note_json, move |kernel, note, done| kernel.files().write_file(&path, &content, note, done))
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
    ) -> napi::Result<Object<'env>> {
        self.with_note(env, note_json, move |kernel, note, done| {
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
    ) -> napi::Result<Object<'env>> {
        self.with_note(env, note_json, move |kernel, note, done| kernel.files().apply_diff(&path, &diff, note, done))
    }

    /// Value: as for `writeFile`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn revert_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        commit: String,
        note_json: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_note(env, note_json, move |kernel, note, done| kernel.files().revert_file(&path, &commit, note, done))
    }

    /// Value: as for `writeFile`, with `mentions?`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn delete_file<'env>(
        &self,
        env: &'env Env,
        path: String,
        note_json: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_note(env, note_json, move |kernel, note, done| kernel.files().delete_file(&path, note, done))
    }

    /// Value: as for `writeFile`, with `relinked?` and `mentions?`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn move_file<'env>(
        &self,
        env: &'env Env,
        from: String,
        to: String,
        note_json: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.with_note(env, note_json, move |kernel, note, done| kernel.files().move_file(&from, &to, note, done))
    }

    /// Value: `{ applied, written? }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn fix_tool<'env>(&self, env: &'env Env, path: String) -> napi::Result<Object<'env>> {
        self.with_write(env, move |kernel, done| kernel.files().fix_tool(&path, done))
    }

    /// Value: as for `writeFile`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn persist<'env>(&self, env: &'env Env, message: String, files: Vec<String>) -> napi::Result<Object<'env>> {
        self.with_write(env, move |kernel, done| kernel.history().persist(&message, &files, done))
    }

    /// Value: as for `writeFile`, for `meta.json`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn sync_registry<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.with_write(env, |kernel, done| kernel.history().sync_registry(done))
    }

    fn with_note<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        note_json: Option<String>,
        job: impl FnOnce(&Kernel, &CommitNote, WriteDone<T>) + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        self.with_write(env, move |kernel, done| match CommitNote::from_json(note_json.as_deref()) {
            Ok(note) => job(kernel, &note, done),
            Err(error) => done(Err(error)),
        })
    }
}
