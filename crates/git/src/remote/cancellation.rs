//! Ending something that another thread begins, whichever of the two comes first.

use parking_lot::Mutex;
use std::sync::Arc;

type Cancel = Box<dyn FnOnce() + Send>;

/// Clones are one and the same.
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
    /// Notes how to end what has begun; ends it at once if that was asked for before.
    pub(super) fn started(&self, cancel: Cancel) {
        let mut state = self.0.lock();
        if matches!(*state, CancelState::Cancelled) {
            drop(state);
            cancel();
        } else {
            *state = CancelState::Started(cancel);
        }
    }

    /// Ends it now, or as soon as it begins.
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
    fn it_ends_once_in_either_order() {
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
