//! Read operations of a kernel for JavaScript, and the exchange with the remote. `caller` is a `Caller` as JSON.

use super::background::{Lane, Promised};
use super::binding_kernel::BindingKernel;
use super::call_request::CallRequest;
use crate::kernel::{GraphQuestion, Kernel, SearchQuery};
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tgp_base::error::{Error, ErrorCode};

/// The operation behind each kernel tool that only reads, with its arguments. The names are those of the table of kernel
/// tools, which has the facts that the door checks.
pub(super) fn each_read(reads: &mut impl Reads) {
    use Lane::{Files, Searches};
    reads.add("list_files", Files, |kernel, Folder { dir, glob }| kernel.files().list_files(&dir, glob.as_deref()));
    reads.add("read_file", Files, |kernel, File { path }| kernel.files().read_file(&path));
    reads.add("search_files", Searches, |kernel, query: SearchQuery| kernel.files().search_files(&query));
    reads.add("file_history", Files, |kernel, History { path, limit }| {
        kernel.history().file_history(path.as_deref(), limit)
    });
    reads.add("query_graph", Searches, |kernel, question: GraphQuestion| kernel.graph().ask(&question));
}

#[derive(Deserialize)]
struct File {
    path: String,
}

#[derive(Deserialize)]
struct Folder {
    dir: String,
    glob: Option<String>,
}

#[derive(Deserialize)]
struct History {
    path: Option<String>,
    limit: Option<u32>,
}

/// Receives each read.
pub(super) trait Reads {
    fn add<Args, T>(&mut self, tool: &'static str, lane: Lane, operation: fn(&Kernel, Args) -> Result<T, Error>)
    where
        Args: DeserializeOwned + 'static,
        T: Answer + 'static;
}

/// The answer of a read: JSON, whose type crosses to JavaScript.
#[cfg(test)]
pub(super) trait Answer: Serialize + ts_rs::TS {}
#[cfg(test)]
impl<T: Serialize + ts_rs::TS> Answer for T {}
#[cfg(not(test))]
pub(super) trait Answer: Serialize {}
#[cfg(not(test))]
impl<T: Serialize> Answer for T {}

/// Starts the read of one name.
struct OneRead<'a, 'env> {
    kernel: &'a BindingKernel,
    env: &'env Env,
    tool: &'a str,
    args: Value,
    caller: Option<String>,
    promise: Option<napi::Result<Object<'env>>>,
}

impl Reads for OneRead<'_, '_> {
    fn add<Args, T>(&mut self, tool: &'static str, lane: Lane, operation: fn(&Kernel, Args) -> Result<T, Error>)
    where
        Args: DeserializeOwned + 'static,
        T: Answer + 'static,
    {
        if tool != self.tool {
            return;
        }
        let args = self.args.take();
        let request = CallRequest::new(tool, args.clone());
        self.promise = Some(self.kernel.run_call(self.env, lane, self.caller.take(), request, move |kernel| {
            operation(kernel, serde_json::from_value(args).map_err(|error| invalid_args(tool, &error))?)
        }));
    }
}

fn invalid_args(tool: &str, error: &serde_json::Error) -> Error {
    Error::new(ErrorCode::Validation, format!("The arguments of {tool} are not valid: {error}."))
}

#[napi]
impl BindingKernel {
    /// Calls a kernel tool that only reads, with its arguments by name. Value: its answer, `KernelReads` of
    /// `js/boundary/crossing.ts`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn read<'env>(
        &self,
        env: &'env Env,
        tool: String,
        args_json: String,
        caller: Option<String>,
    ) -> napi::Result<Object<'env>> {
        let refused = |error: Error| -> napi::Result<Object<'env>> {
            let (promised, promise) = Promised::new(env)?;
            promised.settle::<()>(Err(error));
            Ok(promise)
        };
        let args = match serde_json::from_str(&args_json) {
            Ok(args) => args,
            Err(error) => return refused(invalid_args(&tool, &error)),
        };
        let mut read = OneRead { kernel: self, env, tool: &tool, args, caller, promise: None };
        each_read(&mut read);
        let unknown = || Error::new(ErrorCode::Internal, format!("{tool} is not a read of the kernel."));
        read.promise.unwrap_or_else(|| refused(unknown()))
    }

    /// Value: `{ changed, warnings }`. Pushes pending commits, then pulls.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn sync<'env>(&self, env: &'env Env, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("sync", json!({}));
        self.run_call(env, Lane::Remote, caller, request, |kernel| kernel.history().sync())
    }

    /// Value: `{ changed, warnings }`.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn hydrate<'env>(&self, env: &'env Env, caller: Option<String>) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("hydrate", json!({}));
        self.run_call(env, Lane::Remote, caller, request, |kernel| kernel.history().hydrate())
    }

    /// Value: `{ root, commit, commitsAdded, files }`. Adds what is missing of a repository's history to the graph.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn ingest_graph<'env>(&self, env: &'env Env, request_json: String) -> napi::Result<Object<'env>> {
        self.with_kernel_on(Lane::Remote, env, move |kernel| kernel.graph().ingest(&request_json))
    }

    /// Value: `{ valid, errors, diagnostics, types: { files, packages, severity?, ignoredLines, refused? } }`. `leave` must follow
    /// once the types are checked, with the number of the call.
    #[napi(ts_return_type = "Promise<BindingOutcome>")]
    pub fn check_tool<'env>(&self, env: &'env Env, path: String, caller: String) -> napi::Result<Object<'env>> {
        let request = CallRequest::new("check_tool", json!({ "path": path }));
        self.run_open_call(env, Lane::Searches, caller, request, move |kernel| kernel.checks().check_tool(&path))
    }
}
