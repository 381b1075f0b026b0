//! The runs that a run has started: none of them outlives it.

use crate::ids::RunId;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::sync::Arc;

type Then = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    open: HashSet<RunId>,
    closed: bool,
    then: Option<Then>,
}

#[derive(Default)]
pub struct NestedRuns(Mutex<State>);

/// A run that is counted until this is dropped, however its end comes about.
pub struct Begun {
    runs: Arc<NestedRuns>,
    run: RunId,
}

impl Drop for Begun {
    fn drop(&mut self) {
        self.runs.end(self.run);
    }
}

impl NestedRuns {
    /// Counts a run; none when the run that starts it is over.
    pub fn begin(self: &Arc<Self>, run: RunId) -> Option<Begun> {
        let mut state = self.0.lock();
        if state.closed {
            return None;
        }
        state.open.insert(run);
        Some(Begun { runs: Arc::clone(self), run })
    }

    fn end(&self, run: RunId) {
        let then = {
            let mut state = self.0.lock();
            state.open.remove(&run);
            if state.open.is_empty() { state.then.take() } else { None }
        };
        if let Some(then) = then {
            then();
        }
    }

    /// Admits no more, cancels those under way, and does `then` when the last one is over.
    pub fn close(&self, cancel: impl Fn(RunId), then: Then) {
        let open: Vec<RunId> = {
            let mut state = self.0.lock();
            state.closed = true;
            state.open.iter().copied().collect()
        };
        for run in &open {
            cancel(*run);
        }
        let now = {
            let mut state = self.0.lock();
            if state.open.is_empty() {
                Some(then)
            } else {
                state.then = Some(then);
                None
            }
        };
        if let Some(then) = now {
            then();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::NestedRuns;
    use crate::ids::RunId;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn the_end_waits_for_what_was_begun() {
        let runs = Arc::<NestedRuns>::default();
        let over = Arc::new(AtomicBool::new(false));
        let begun = runs.begin(RunId(1)).unwrap();
        let told = Arc::clone(&over);
        runs.close(|_| {}, Box::new(move || told.store(true, Ordering::Relaxed)));
        assert!(runs.begin(RunId(2)).is_none());
        assert!(!over.load(Ordering::Relaxed));
        drop(begun);
        assert!(over.load(Ordering::Relaxed));
    }
}
