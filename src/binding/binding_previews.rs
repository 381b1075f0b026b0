//! What JavaScript wants to see before it happens.

use super::asked::Asked;
use super::background::{Lane, Promised};
use super::binding_kernel::BindingKernel;
use crate::kernel::FileChangeCall;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::Value;
use tgp_base::error::Error;

#[napi]
impl BindingKernel {
    /// Value: `{ diffs: [{ path, diff }], result }` of a change of files, which is not made. `change_json` is the name of its
    /// tool and the arguments of that: `{ tool, path, … }`; the asker must say that it is a dry run.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn preview_change<'env>(
        &self,
        env: &'env Env,
        change_json: String,
        asker: Option<String>,
    ) -> napi::Result<Object<'env>> {
        match asked(&change_json) {
            Ok((change, asked)) => {
                self.through(env, Lane::Files, asker, asked, move |kernel| kernel.files().preview(&change))
            }
            Err(error) => {
                let (promised, promise) = Promised::new(env)?;
                promised.settle::<()>(Err(error));
                Ok(promise)
            }
        }
    }
}

fn asked(change_json: &str) -> Result<(FileChangeCall, Asked), Error> {
    let change = FileChangeCall::from_json(change_json)?;
    let mut args: Value = serde_json::from_str(change_json).unwrap_or_default();
    if let Some(args) = args.as_object_mut() {
        args.remove("tool");
    }
    let asked = Asked::preview(change.tool(), change.path(), args);
    Ok((change, asked))
}
