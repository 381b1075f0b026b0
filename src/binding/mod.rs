//! The Node-API binding, the only `#[napi]`: converts, forwards, and returns errors as data. JavaScript throws them.

mod background;
mod binding_database;
mod binding_guardian;
mod binding_kernel;
mod binding_ledger;
mod binding_limit;
mod binding_memory;
mod binding_outcome;
mod binding_policy;
mod binding_previews;
mod binding_reads;
mod binding_sql_rules;
mod binding_tools;
mod binding_vfs;
mod binding_writes;
mod call_request;
#[cfg(test)]
mod crossing;
mod js_callback;
mod run_ends;
mod worker_files;

use napi::Env;
use napi::bindgen_prelude::{Buffer, Object};
use napi_derive::napi;
use tgp_base::error::ErrorCode;

/// All error codes, for a test to compare with the list in JavaScript.
#[napi]
pub fn error_codes() -> Vec<String> {
    ErrorCode::ALL.iter().map(|code| code.as_str().to_owned()).collect()
}

/// All limits of the configuration and the tools; the build writes them to `js/` and the documentation.
#[napi]
pub fn limits() -> Vec<binding_limit::BindingLimit> {
    binding_limit::all()
}

/// The default configuration, as JSON; the build writes it to `js/`.
#[napi]
#[must_use]
pub fn default_config() -> String {
    serde_json::to_string(&crate::kernel::Config::of_any_machine()).unwrap_or_default()
}

/// The table of kernel tools, as JSON: `[{ name, effect, arguments, paths }]`; the build writes it to `js/`.
#[napi]
#[must_use]
pub fn kernel_tools() -> String {
    crate::kernel::kernel_tools_json().to_string()
}

/// The version of the linked V8.
#[napi]
pub fn engine_version() -> String {
    crate::kernel::engine_version().to_owned()
}

/// Value: `{ executable, library }`: the launcher of sandboxed programs, see `crates/sandbox/src/program/`.
#[napi]
#[must_use]
pub fn program_launcher() -> binding_outcome::BindingOutcome {
    binding_outcome::BindingOutcome::from_result(worker_files::launcher())
}

/// Value: the unified diff between two contents of a file; an absent content is a missing file.
#[napi(ts_return_type = "Promise<BindingOutcome>")]
pub fn unified_diff(
    env: &Env,
    path: String,
    before: Option<Buffer>,
    after: Option<Buffer>,
) -> napi::Result<Object<'_>> {
    // The application keeps its buffers.
    let (before, after) = (before.map(|bytes| bytes.to_vec()), after.map(|bytes| bytes.to_vec()));
    let (promised, promise) = background::Promised::new(env)?;
    background::start_alone(promised, move |promised| {
        promised.settle(crate::kernel::unified_diff(&path, before.as_deref(), after.as_deref()));
    });
    Ok(promise)
}

/// Value: a PostgreSQL array as JSON of at most `room` bytes. `element_type` is the OID of its elements.
#[napi]
#[must_use]
pub fn postgres_array(text: String, element_type: u32, room: u32) -> binding_outcome::BindingOutcome {
    let json = crate::kernel::array_json(&text, element_type, usize::try_from(room).unwrap_or(usize::MAX));
    binding_outcome::BindingOutcome::from_json(json.map_err(Into::into))
}

/// Value: `{ branches, hasBranch }`, or null without a remote. Needs no workspace and changes nothing.
#[napi(ts_return_type = "Promise<BindingOutcome>")]
pub fn ask_remote(env: &Env, config_json: String, base_dir: String) -> napi::Result<Object<'_>> {
    binding_kernel::ask_remote(env, config_json, base_dir)
}

/// Value: `{ ok, events, head, problem? }`. Needs no workspace: `file` is an export, `key_file` the public key that
/// must have signed it.
#[napi(ts_return_type = "Promise<BindingOutcome>")]
pub fn verify_export(env: &Env, file: String, key_file: Option<String>) -> napi::Result<Object<'_>> {
    binding_ledger::verify_export(env, file, key_file)
}

/// Value: `token` narrowed by further caveats. Needs no kernel.
#[napi]
#[must_use]
pub fn narrowed_token(token: String, caveats_json: String) -> binding_outcome::BindingOutcome {
    binding_outcome::BindingOutcome::from_result(crate::kernel::narrowed_token(&token, &caveats_json))
}
