//! Previews of file changes for JavaScript.

use super::background::{Lane, Promised};
use super::binding_kernel::BindingKernel;
use super::call_request::CallRequest;
use crate::kernel::FileChangeCall;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;
use tgp_base::error::Error;

#[napi]
impl BindingKernel {
    /// Value: `{ diffs: [{ path, diff }], result }` of a change that is not made. `change_json` is its tool and
    /// arguments: `{ tool, path, … }`; `caller` must be marked as a dry run.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn preview_change<'env>(
        &self,
        env: &'env Env,
        change_json: String,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        match parse_preview(&change_json) {
            Ok((change, request)) => {
                self.run_call(env, Lane::Files, caller, request, move |kernel| kernel.files().preview(&change))
            }
            Err(error) => {
                let (promised, promise) = Promised::new(env)?;
                promised.settle::<()>(Err(error));
                Ok(promise)
            }
        }
    }
}

fn parse_preview(change_json: &str) -> Result<(FileChangeCall, CallRequest), Error> {
    let change = FileChangeCall::from_json(change_json)?;
    let mut args: Value = serde_json::from_str(change_json).unwrap_or_default();
    if let Some(args) = args.as_object_mut() {
        args.remove("tool");
    }
    let request = CallRequest::preview(change.tool(), args);
    Ok((change, request))
}
