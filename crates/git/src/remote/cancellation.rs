//! Cancellation of an operation that another thread starts, in either order.

use parking_lot::Mutex;
use std::sync::Arc;

type Cancel = Box<dyn FnOnce() + Send>;

/// A handle to cancel an operation. Clones share the state.
#[derive(Clone, Default)]
pub(super) struct CancelHandle(Arc<Mutex<CancelState>>);

#[derive(Default)]
enum CancelState {
    #[default]
    NotStarted,
    Started(Cancel),
    Cancelled,
}

impl CancelHandle {
    /// Registers the cancel callback of a started operation; calls it at once if it was cancelled before.
    pub(super) fn started(&self, cancel: Cancel) {
        let mut state = self.0.lock();
        if matches!(*state, CancelState::Cancelled) {
            drop(state);
            cancel();
        } else {
            *state = CancelState::Started(cancel);
        }
    }

    /// Cancels the operation now, or as soon as it starts.
    pub(super) fn cancel(&self) {
        let state = std::mem::replace(&mut *self.0.lock(), CancelState::Cancelled);
        if let CancelState::Started(cancel) = state {
            cancel();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::CancelHandle;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn the_callback_runs_once_in_either_order() {
        for is_early in [true, false] {
            let ended = Arc::new(AtomicUsize::new(0));
            let count = Arc::clone(&ended);
            let one = CancelHandle::default();
            let other = one.clone();
            let end = move || {
                count.fetch_add(1, Ordering::Relaxed);
            };
            let begin = move || one.started(Box::new(end));
            if is_early {
                other.cancel();
                begin();
            } else {
                begin();
                other.cancel();
            }
            other.cancel();
            assert_eq!(ended.load(Ordering::Relaxed), 1, "{is_early}");
        }
    }
}
