//! The running fetches of a run. They are aborted when the run ends.

use super::fetcher::FetchTask;
use parking_lot::Mutex;
use std::collections::HashMap;

#[derive(Default)]
pub struct RunningFetches(Mutex<TaskTable>);

#[derive(Default)]
struct TaskTable {
    tasks: HashMap<u32, FetchTask>,
    closed: bool,
}

impl RunningFetches {
    /// Adds a request under the token that aborts it.
    pub fn add(&self, token: u32, task: FetchTask) {
        let mut state = self.0.lock();
        if state.closed {
            task.abort();
            return;
        }
        state.tasks.retain(|_, task| !task.is_over());
        state.tasks.insert(token, task);
    }

    pub fn abort(&self, token: u32) {
        if let Some(task) = self.0.lock().tasks.remove(&token) {
            task.abort();
        }
    }

    /// Aborts all running requests and all that are added later.
    pub fn abort_all(&self) {
        let mut state = self.0.lock();
        state.closed = true;
        for (_, task) in state.tasks.drain() {
            task.abort();
        }
    }
}
