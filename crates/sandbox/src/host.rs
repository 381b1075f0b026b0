//! The host interface: everything that a guest may request.

use super::json_shape::JsonShape;
use super::message::{Command, HostAnswer};
use super::run_tree::ReservedBytes;
use crate::transport::Worker;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::panicking;
use tgp_base::error::{Error, ErrorCode};
use tgp_base::ids::{CallId, RunId};

/// Answers the host calls of one run. Implemented by the kernel.
pub trait Host: Send + Sync {
    /// Handles a call and answers through `reply`, now or later and from any thread. It must not block for long: other calls of
    /// the run wait meanwhile.
    fn call(self: Arc<Self>, question: Question, reply: Reply);
}

/// A host call of a guest.
#[derive(Debug)]
pub struct Question {
    pub name: String,
    /// The arguments as a JSON array. Untrusted.
    pub args_json: String,
}

/// The open calls of one run: the run and each call hold a reference, so the reference count is their number.
#[derive(Debug, Default)]
pub(super) struct OpenCalls(Arc<AtomicBool>);

impl OpenCalls {
    pub(super) fn count(&self) -> usize {
        Arc::strong_count(&self.0) - 1
    }

    /// Opens a call. `bytes` is its part of the tree's budget; `None` for an internal call of the engine. `memory_bytes` is the
    /// memory that the run has to read the answer.
    pub(super) fn open(&self, bytes: Option<ReservedBytes>, memory_bytes: u64) -> OpenCall {
        OpenCall { run_is_over: Arc::clone(&self.0), bytes, memory_bytes }
    }
}

impl Drop for OpenCalls {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// A call that waits for its answer.
#[derive(Debug)]
pub(super) struct OpenCall {
    run_is_over: Arc<AtomicBool>,
    bytes: Option<ReservedBytes>,
    memory_bytes: u64,
}

impl OpenCall {
    /// The answer, or an error if it is too large for the run or exceeds the tree's total.
    fn counted(&self, answer: HostAnswer) -> HostAnswer {
        let tree = self.bytes.as_ref().map(ReservedBytes::tree);
        match (answer, tree) {
            (HostAnswer::Value(text), _) if !JsonShape::fits(&text, self.memory_bytes) => {
                too_large(&text, self.memory_bytes).into()
            }
            (HostAnswer::Value(text), Some(tree)) if !tree.count_answer(text.len()) => {
                too_much(tree.limits().answer_bytes).into()
            }
            (counted @ (HostAnswer::Value(_) | HostAnswer::Fault { .. }), _) => counted,
        }
    }
}

/// Sends the answer of a call to the guest. Dropping it sends an error, so that no guest waits forever.
pub struct Reply {
    worker: Arc<dyn Worker>,
    open: Option<OpenCall>,
    run: RunId,
    call: CallId,
}

impl Reply {
    pub(super) fn new(worker: Arc<dyn Worker>, open: OpenCall, run: RunId, call: CallId) -> Self {
        Self { worker, open: Some(open), run, call }
    }

    pub fn send(mut self, answer: HostAnswer) {
        self.deliver(answer);
    }

    fn deliver(&mut self, answer: HostAnswer) {
        // Closed before the answer is sent: the guest may make another call as soon as it has the answer.
        let Some(open) = self.open.take() else { return };
        let is_over = open.run_is_over.load(Ordering::Acquire);
        let answer = open.counted(answer);
        drop(open);
        if !is_over {
            // Fails only if the worker has ended, which ends its run.
            let _gone = self.worker.send(Command::HostReply { run: self.run, call: self.call, answer });
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        let error =
            if panicking() { Error::panicked() } else { Error::new(ErrorCode::Aborted, "the host did not answer") };
        self.deliver(error.into());
    }
}

fn too_large(json: &str, memory_bytes: u64) -> Error {
    let (bytes, megabytes) = (json.len(), memory_bytes >> 20);
    let message = format!(
        "the answer is {bytes} bytes of JSON: more than a run with {megabytes} MB of memory can read (sandbox.memoryMb). \
         Ask for less: a page, a part of a file, fewer columns."
    );
    Error::new(ErrorCode::IsolateMemory, message)
}

fn too_much(limit: u64) -> Error {
    let message = format!(
        "the answers to the host calls of this run, nested runs included, are more than {limit} bytes \
         (sandbox.answerBytes). Ask for less: a page, a part of a file, fewer columns."
    );
    Error::new(ErrorCode::Limit, message)
}

impl From<Error> for HostAnswer {
    fn from(error: Error) -> Self {
        Self::Fault { code: error.code.as_str().to_owned(), message: error.message }
    }
}
