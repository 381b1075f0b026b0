//! The call that the current thread works for, as a thread-local.

use crate::kernel::visibility::with_visibility;
use std::cell::RefCell;
use tgp_base::call::CallContext;

thread_local! {
    static PRESENT: RefCell<Option<CallContext>> = const { RefCell::new(None) };
}

/// Runs `job` on behalf of a call.
pub fn on_behalf<T>(call: CallContext, job: impl FnOnce() -> T) -> T {
    /// Restores the previous call, also when the job panics.
    struct Before(Option<CallContext>);
    impl Drop for Before {
        fn drop(&mut self) {
            PRESENT.replace(self.0.take());
        }
    }
    let visibility = call.visibility.clone();
    let _before = Before(PRESENT.replace(Some(call)));
    with_visibility(visibility, job)
}

/// The call that this thread works for, if any.
pub fn present() -> Option<CallContext> {
    PRESENT.with_borrow(Clone::clone)
}
