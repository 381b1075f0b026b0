//! The runs that a run has started: none of them outlives it.

use crate::ids::RunId;
use parking_lot::Mutex;
use std::collections::HashSet;

type Then = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct State {
    open: HashSet<RunId>,
    closed: bool,
    then: Option<Then>,
}

#[derive(Default)]
pub struct NestedRuns(Mutex<State>);

/// Whether a run may still start others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Admission {
    Open,
    Over,
}

impl NestedRuns {
    pub fn begin(&self, run: RunId) -> Admission {
        let mut state = self.0.lock();
        if state.closed {
            return Admission::Over;
        }
        state.open.insert(run);
        Admission::Open
    }

    pub fn end(&self, run: RunId) {
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
    use super::{Admission, NestedRuns};
    use crate::ids::RunId;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    #[test]
    fn the_end_waits_for_what_was_begun() {
        let runs = NestedRuns::default();
        let over = Arc::new(AtomicBool::new(false));
        assert_eq!(runs.begin(RunId(1)), Admission::Open);
        let told = Arc::clone(&over);
        runs.close(|_| {}, Box::new(move || told.store(true, Ordering::Relaxed)));
        assert_eq!(runs.begin(RunId(2)), Admission::Over);
        assert!(!over.load(Ordering::Relaxed));
        runs.end(RunId(1));
        assert!(over.load(Ordering::Relaxed));
    }
}
