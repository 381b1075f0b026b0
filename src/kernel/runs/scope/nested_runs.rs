//! The nested runs of a run, none of which outlives it.

use super::side_effects::SideEffects;
use crate::kernel::host_functions::RunEnding;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tgp_base::error::Error;
use tgp_base::ids::RunId;

/// Receives the error of a failed nested run, if any.
type OnEnd = Box<dyn FnOnce(Option<Error>) + Send>;

#[derive(Default)]
struct NestedState {
    open: HashMap<RunId, Arc<SideEffects>>,
    closed: bool,
    failure: Option<Error>,
    then: Option<OnEnd>,
}

#[derive(Default)]
pub struct NestedRuns(Mutex<NestedState>);

/// A guard that counts a nested run until it is dropped.
pub struct NestedRunGuard {
    runs: Arc<NestedRuns>,
    run: RunId,
    effects: Arc<SideEffects>,
}

impl NestedRunGuard {
    /// Records the failure of a run that is no longer awaited but was not given up.
    pub fn failed(&self, error: &Error) {
        let mut state = self.runs.0.lock();
        if state.closed && !self.effects.give_up() {
            state.failure.get_or_insert_with(|| error.clone());
        }
    }
}

impl Drop for NestedRunGuard {
    fn drop(&mut self) {
        self.runs.end(self.run);
    }
}

impl NestedRuns {
    /// Counts a run; none when its parent is over.
    pub fn begin(self: &Arc<Self>, run: RunId, effects: &Arc<SideEffects>) -> Option<NestedRunGuard> {
        let mut state = self.0.lock();
        if state.closed {
            return None;
        }
        state.open.insert(run, Arc::clone(effects));
        Some(NestedRunGuard { runs: Arc::clone(self), run, effects: Arc::clone(effects) })
    }

    /// Whether the parent run is over.
    pub fn is_closed(&self) -> bool {
        self.0.lock().closed
    }

    fn end(&self, run: RunId) {
        let then = {
            let mut state = self.0.lock();
            state.open.remove(&run);
            if state.open.is_empty() { state.then.take().map(|then| (then, state.failure.take())) } else { None }
        };
        if let Some((then, failure)) = then {
            then(failure);
        }
    }

    /// Admits no more runs, cancels open ones, and calls `then` after the last one. On commit, runs that have begun
    /// side effects are not cancelled but awaited.
    pub fn close(&self, ending: RunEnding, cancel: impl Fn(RunId), then: OnEnd) {
        let given_up: Vec<RunId> = {
            let mut state = self.0.lock();
            state.closed = true;
            let is_given_up = |effects: &SideEffects| effects.give_up() || ending == RunEnding::Rollback;
            state.open.iter().filter(|(_, effects)| is_given_up(effects)).map(|(run, _)| *run).collect()
        };
        for run in given_up {
            cancel(run);
        }
        let now = {
            let mut state = self.0.lock();
            if state.open.is_empty() {
                Some((then, state.failure.take()))
            } else {
                state.then = Some(then);
                None
            }
        };
        if let Some((then, failure)) = now {
            then(failure);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{NestedRuns, SideEffects};
    use crate::kernel::host_functions::RunEnding;
    use parking_lot::Mutex;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    use tgp_base::error::{Error, ErrorCode};
    use tgp_base::ids::RunId;

    #[test]
    fn the_end_waits_for_open_runs() {
        let runs = Arc::<NestedRuns>::default();
        let over = Arc::new(AtomicBool::new(false));
        let begun = runs.begin(RunId(1), &Arc::default()).unwrap();
        assert!(!runs.is_closed());
        let ended = Arc::clone(&over);
        runs.close(RunEnding::Rollback, |_| {}, Box::new(move |_| ended.store(true, Ordering::Relaxed)));
        assert!(runs.begin(RunId(2), &Arc::default()).is_none() && runs.is_closed());
        assert!(!over.load(Ordering::Relaxed));
        drop(begun);
        assert!(over.load(Ordering::Relaxed));
    }

    #[test]
    fn a_run_with_side_effects_is_awaited_and_its_failure_reported() {
        let runs = Arc::<NestedRuns>::default();
        let (writes, reads) = (Arc::<SideEffects>::default(), Arc::<SideEffects>::default());
        let begun = [runs.begin(RunId(1), &writes).unwrap(), runs.begin(RunId(2), &reads).unwrap()];
        assert!(writes.begin());
        let (cancelled, reported) = (Mutex::new(Vec::new()), Arc::<Mutex<Option<Error>>>::default());
        let failure = Arc::clone(&reported);
        let cancel = |run| cancelled.lock().push(run);
        runs.close(RunEnding::Commit, cancel, Box::new(move |error| *failure.lock() = error));
        assert_eq!(*cancelled.lock(), [RunId(2)]);
        let error = |text: &str| Error::new(ErrorCode::ToolThrown, text);
        for (begun, text) in begun.iter().rev().zip(["given up", "written"]) {
            begun.failed(&error(text));
        }
        drop(begun);
        assert_eq!(*reported.lock(), Some(error("written")));
    }
}
