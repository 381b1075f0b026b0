//! All that a guest may ask for.

use super::message::{Command, HostAnswer};
use super::transport::Worker;
use crate::error::ErrorCode;
use crate::ids::{CallId, RunId};
use std::sync::Arc;

/// Answers the questions of one run. Implemented by whoever owns files, databases and the network.
pub trait Host: Send + Sync {
    /// Takes a question and answers through `reply`, now or later and from any thread. It must not block for long:
    /// the other questions of the run wait meanwhile.
    fn call(&self, question: Question, reply: Reply);
}

/// What a guest asks.
#[derive(Debug)]
pub struct Question {
    pub name: String,
    /// The arguments as a JSON array. Untrusted.
    pub args_json: String,
}

/// One for each question of a run that waits for its answer, and one for the run itself: their number is the count.
pub(super) type Pending = Arc<()>;

/// The way back to the guest. Dropping it answers too, so that no guest waits for nothing.
pub struct Reply {
    worker: Option<Arc<dyn Worker>>,
    pending: Option<Pending>,
    run: RunId,
    call: CallId,
}

impl Reply {
    pub(super) fn new(worker: Arc<dyn Worker>, pending: Pending, run: RunId, call: CallId) -> Self {
        Self { worker: Some(worker), pending: Some(pending), run, call }
    }

    pub fn send(mut self, answer: HostAnswer) {
        self.deliver(answer);
    }

    fn deliver(&mut self, answer: HostAnswer) {
        if let Some(worker) = self.worker.take() {
            // Before the answer: the guest may ask again the moment it has it.
            self.pending = None;
            // A worker that cannot be told has died, and its run ends by that.
            let _gone = worker.send(Command::HostReply { run: self.run, call: self.call, answer });
        }
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.deliver(HostAnswer::Fault {
            code: ErrorCode::Aborted.as_str().to_owned(),
            message: "the host gave no answer".to_owned(),
        });
    }
}
