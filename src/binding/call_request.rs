//! A request from JavaScript, run as a call that is authorised and recorded.

use super::background::{Lane, Promised};
use super::binding_kernel::BindingKernel;
use crate::kernel::{
    AdmittedCall, Call, CallDetails, Caller, Changes, CommitNote, FileChangeCall, Kernel, Need, ReachedFiles,
    WriteDone, kernel_tool, on_behalf,
};
use napi::Env;
use napi::bindgen_prelude::Object;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tgp_base::effect::Effect;
use tgp_base::error::{Error, ErrorCode};

/// A call, before its caller is known. Its effect and its path are those of the table of kernel tools.
pub struct CallRequest {
    tool: &'static str,
    path: Option<String>,
    args: Value,
    is_preview: bool,
    /// The note for its commit, as JSON.
    note: Option<String>,
}

impl CallRequest {
    pub fn new(tool: &'static str, args: Value) -> Self {
        let path = kernel_tool(tool).and_then(|tool| tool.path_of(&args)).map(str::to_owned);
        Self { tool, path, args, is_preview: false, note: None }
    }

    /// A preview of a change of files. Its answer shows the current text of the file, which needs the right to read it.
    pub fn preview(tool: &'static str, args: Value) -> Self {
        Self { is_preview: true, ..Self::new(tool, args) }
    }

    /// With a path that no argument holds.
    pub fn at(self, path: Option<&String>) -> Self {
        Self { path: path.cloned(), ..self }
    }

    /// Adds a note for the commit. The reason becomes part of the history, so it is judged, approved and recorded as an
    /// argument.
    pub fn with_note(self, note_json: Option<String>) -> Self {
        Self { note: note_json, ..self }
    }

    fn enter(mut self, kernel: &Kernel, caller_json: Option<&str>) -> Result<AdmittedCall, Error> {
        let Some(effect) = kernel_tool(self.tool).map(|tool| tool.effect) else {
            let message = format!("{} is not in the table of kernel tools.", self.tool);
            return Err(Error::new(ErrorCode::Internal, message));
        };
        let caller = Arc::new(Caller::from_json(caller_json)?);
        if let (Some(why), Value::Object(args)) = (CommitNote::from_json(self.note.as_deref())?.why, &mut self.args) {
            args.insert("why".to_owned(), why.into());
        }
        let door = kernel.door();
        let path = self.path.clone();
        let text = || path.as_deref().map(|path| kernel.files().text_hash(path)).unwrap_or_default();
        let reached = || {
            let mut reached = kernel.reached(self.tool, &self.args);
            if self.is_preview {
                let paths = path.iter().cloned().collect();
                reached.push(ReachedFiles { effect: Effect::Read, paths, need: Need::NotForbidden });
            }
            reached
        };
        let number = caller.number.map_or_else(|| door.next_number(), u64::from);
        let tests = || match FileChangeCall::of_call(self.tool, &self.args) {
            Some(change) => {
                let call = Call { number, ..Call::of(&caller, self.tool, effect, "") };
                on_behalf(door.context(&call), || kernel.files().held_by_tests(&change))
            }
            None => Ok(()),
        };
        let is_write = effect == Effect::Write;
        let call = Call {
            number,
            parent: caller.parent_number(),
            changes: if is_write && !self.is_preview { Changes::Something } else { Changes::Nothing },
            path: self.path.clone().map(Cow::Owned),
            approval: caller.approval.as_deref(),
            ..Call::of(&caller, self.tool, effect, self.args.to_string())
        };
        let ready: Option<&dyn Fn() -> Result<(), Error>> = if is_write { Some(&tests) } else { None };
        door.enter(call, CallDetails { text: Some(&text), reached: Some(&reached), ready })
    }
}

impl BindingKernel {
    /// Runs `job` on a thread of the lane, as a call.
    pub(super) fn run_call<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        lane: Lane,
        caller_json: Option<String>,
        request: CallRequest,
        job: impl FnOnce(&Kernel) -> Result<T, Error> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        match self.kernel() {
            Err(error) => promised.settle::<()>(Err(error)),
            Ok(kernel) => self.lanes.start(lane, promised, move |promised| {
                promised.settle(request.enter(&kernel, caller_json.as_deref()).and_then(|admitted| {
                    let result = on_behalf(admitted.context(), || job(&kernel));
                    admitted.leave_with(result.as_ref());
                    result
                }));
            }),
        }
        Ok(promise)
    }

    /// As `run_call`, for a call that JavaScript finishes: after a successful `job`, `leave` must follow with the
    /// call's number.
    pub(super) fn run_open_call<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        lane: Lane,
        caller_json: String,
        request: CallRequest,
        job: impl FnOnce(&Kernel) -> Result<T, Error> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        let admitted_calls = Arc::clone(&self.admitted_calls);
        match self.kernel() {
            Err(error) => promised.settle::<()>(Err(error)),
            Ok(kernel) => self.lanes.start(lane, promised, move |promised| {
                promised.settle(request.enter(&kernel, Some(&caller_json)).and_then(|admitted| {
                    let number = Caller::from_json(Some(&caller_json))?.number.unwrap_or_default();
                    match on_behalf(admitted.context(), || job(&kernel)) {
                        Ok(value) => {
                            admitted_calls.lock().insert(number, admitted);
                            Ok(value)
                        }
                        Err(error) => {
                            admitted.leave(Err(&error));
                            Err(error)
                        }
                    }
                }));
            }),
        }
        Ok(promise)
    }

    /// As `run_call`, for a write: the promise settles once the remote has it, and no thread waits for that.
    pub(super) fn run_write_call<'env, T: Serialize + 'static>(
        &self,
        env: &'env Env,
        caller_json: Option<String>,
        request: CallRequest,
        job: impl FnOnce(&Kernel, WriteDone<T>) + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (promised, promise) = Promised::new(env)?;
        match self.kernel() {
            Err(error) => promised.settle::<()>(Err(error)),
            Ok(kernel) => self.lanes.start(Lane::Files, promised, move |promised| {
                let admitted = match request.enter(&kernel, caller_json.as_deref()) {
                    Ok(admitted) => admitted,
                    Err(error) => return promised.settle::<()>(Err(error)),
                };
                let present = admitted.context();
                let done = Box::new(move |result: Result<T, Error>| {
                    admitted.leave_with(result.as_ref());
                    promised.settle(result);
                });
                on_behalf(present, || job(&kernel, done));
            }),
        }
        Ok(promise)
    }
}
