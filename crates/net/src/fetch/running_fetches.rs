//! The requests that a run has under way: none of them outlives it.

use super::fetcher::FetchTask;
use parking_lot::Mutex;
use std::collections::HashMap;

#[derive(Default)]
pub struct RunningFetches(Mutex<State>);

#[derive(Default)]
struct State {
    tasks: HashMap<u32, FetchTask>,
    closed: bool,
}

impl RunningFetches {
    /// Keeps a request under the number by which it can be aborted.
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

    /// Aborts what is under way and whatever comes later.
    pub fn abort_all(&self) {
        let mut state = self.0.lock();
        state.closed = true;
        for (_, task) in state.tasks.drain() {
            task.abort();
        }
    }
}
