//! The way into a run for calls of the application: admission, then the start, on the caller's thread if both are quick.

use super::entered_run::EnteredRun;
use super::exec_options::ExecRequest;
use super::exec_value::ExecDone;
use super::runs::Runs;
use crate::kernel::work_pool::no_thread;
use std::sync::Arc;
use tgp_base::ids::RunId;
use tgp_base::threads;

impl Runs {
    /// Starts a run, which `parent` waits for. `done` is called once, from any thread. Never blocks.
    pub fn submit(self: &Arc<Self>, request: ExecRequest, parent: Option<RunId>, done: ExecDone) {
        // From now on it can be cancelled.
        let done = self.announce(request.run, done);
        if !self.enters_quickly(&request) {
            let runs = Arc::clone(self);
            let admit = move |(request, done)| {
                if let Some(entered) = runs.admitted(request, parent, done) {
                    runs.exec_tool(entered);
                }
            };
            if let Err((_, done)) = self.starting.spawn_with((), (request, done), admit) {
                done.complete(Err(no_thread()));
            }
            return;
        }
        // A panic drops `done`, which reports the end.
        let Ok(Some(entered)) = threads::contain(|| self.admitted(request, parent, done)) else { return };
        let Ok(Some(slow)) = threads::contain(|| self.exec_tool_at_once(entered)) else { return };
        let runs = Arc::clone(self);
        if let Err(entered) = self.starting.spawn_with((), slow, move |entered| runs.exec_tool(entered)) {
            entered.refuse(no_thread());
        }
    }

    /// The admitted run; none if it was refused, or is part of the run of its parent and started there.
    fn admitted(self: &Arc<Self>, request: ExecRequest, parent: Option<RunId>, done: ExecDone) -> Option<EnteredRun> {
        let entered = self.enter(request, parent, done)?;
        match parent {
            Some(parent) => self.exec_tool_below(parent, entered),
            None => Some(entered),
        }
    }
}
