//! Previews of file changes for JavaScript.

use super::background::{Lane, Promised};
use super::binding_kernel::BindingKernel;
use super::call_request::CallRequest;
use crate::kernel::{FileChangeCall, kernel_tool};
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
    let mut args: Value = serde_json::from_str(change_json).map_err(|error| FileChangeCall::invalid(&error))?;
    let change = FileChangeCall::parse(&args)?;
    let name = args.as_object_mut().and_then(|args| args.remove("tool"));
    let tool = name.as_ref().and_then(Value::as_str).and_then(kernel_tool);
    let request = CallRequest::preview(tool.map_or("", |tool| tool.name), args);
    Ok((change, request))
}
